# `make help` lists what there is. Everything is set up on the way, in .venv, from the lock files.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GENERATOR := $(VENV)/generator
EXAMPLES := $(VENV)/examples
LOCAL_MODEL := $(VENV)/local-model
LLAMA_SERVER ?= $(LOCAL_MODEL)/bin/llama-server-vulkan
BUF_VERSION := 1.75.0
BUF := $(VENV)/buf/node_modules/.bin/buf
GHZ_VERSION := v0.120.0
LANGUAGES := $(VENV)/languages
WHEELS := $(VENV)/wheels
POOLER := $(VENV)/pgbouncer
BROWSER := $(VENV)/browser
DEPLOY := $(VENV)/deploy
HELM_VERSION := v3.19.0
GHZ := $(VENV)/ghz/$(GHZ_VERSION)/ghz
GRPCURL_VERSION := v1.9.3
HEALTH_PROBE_VERSION := v0.4.63
CALLERS := $(VENV)/callers

SOURCES := console core service evaluation protos clients/python examples tests tools
export PYTHONPATH := .:protos:clients/python
# Compiled modules are kept whatever the environment says: without them each process of a test compiles for seconds.
export PYTHONDONTWRITEBYTECODE :=

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- setting up: once, then offline ----

setup: $(VENV)/.ready  ## Make .venv, with `memorybank` on its path

packages: $(VENV)/.packages

# The native modules are built here: what that needs is asked for before anything is fetched. Of the packages' modules
# Python compiles those that are used, when they are.
$(VENV)/.packages: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || { echo "needs a C++ compiler (Debian: apt-get install g++)" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || { echo "needs Python's headers (Debian: apt-get install python3-dev)" >&2; exit 1; }
	@echo "setting up $(VENV), a few minutes the first time:"
	@echo "1 of 3  a Python environment"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "2 of 3  $$(grep -c '^[A-Za-z0-9]' requirements.lock) packages, each checked by its hash"
	@$(BIN)/python -m pip install --no-compile --disable-pip-version-check --require-hashes -r requirements.lock | sed -u -n 's/^Collecting \([^ ]*\).*/        \1/p'
	@touch $@

$(VENV)/.ready: $(VENV)/.packages pyproject.toml setup.py $(wildcard */native/*.h */native/*.cpp)
	@echo "3 of 3  the native modules, compiled"
	@# setuptools warns of what an editable installation is; it is meant
	@{ PYTHONWARNINGS=ignore $(BIN)/python -m pip install --verbose --disable-pip-version-check --no-deps --no-build-isolation --editable . 2>&1 \
	  | tee $(VENV)/build.log | sed -u -n "s/^ *building '\\([^']*\\)' extension.*/        \\1/p"; } || { cat $(VENV)/build.log >&2; exit 1; }
	@touch $@

$(GENERATOR)/.ready: requirements-generator.lock | $(VENV)/.packages
	@test -x $(GENERATOR)/bin/python || $(PYTHON) -m venv --without-pip $(GENERATOR)
	@$(BIN)/python -m pip --python $(GENERATOR)/bin/python install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements-generator.lock
	@touch $@

$(EXAMPLES)/.ready: requirements-examples.lock
	@test -x $(EXAMPLES)/bin/python || $(PYTHON) -m venv $(EXAMPLES)
	@env -u PYTHONPATH $(EXAMPLES)/bin/python -m pip install --quiet --no-compile --retries 1 --disable-pip-version-check --require-hashes --no-deps -r requirements-examples.lock
	@touch $@

$(LOCAL_MODEL)/.ready: requirements-local-model.lock | $(VENV)/.ready
	@test -x $(LOCAL_MODEL)/bin/python || $(PYTHON) -m venv $(LOCAL_MODEL)
	@env -u PYTHONPATH $(LOCAL_MODEL)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-local-model.lock
	@touch $@

$(WHEELS)/.ready: requirements-wheels.lock | $(VENV)/.ready
	@test -x $(WHEELS)/bin/python || $(PYTHON) -m venv $(WHEELS)
	@$(WHEELS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-wheels.lock
	@touch $@

$(BUF):
	@npm install --silent --no-audit --no-fund --prefix $(VENV)/buf @bufbuild/buf@$(BUF_VERSION) >/dev/null

# Hashes pin what is installed; where it was fetched from is each machine's own affair, so no address is written.
COMPILE = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --upgrade --generate-hashes --allow-unsafe \
	--strip-extras --annotation-style=line \
	--no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

lock: $(VENV)/.ready  ## Resolve the dependencies anew and write the lock files
	@$(COMPILE) --extra console --extra dev --extra light --extra mcp --extra otel --extra postgres --output-file requirements.lock pyproject.toml
	@$(COMPILE) --extra otel --extra postgres --output-file requirements-service.lock pyproject.toml
	@for name in browser deploy generator examples local-model wheels; do $(COMPILE) --output-file requirements-$$name.lock requirements-$$name.in; done

# ---- running ----

PORT ?= 7700
DATA ?= data

serve: setup  ## Start the service on 127.0.0.1:7700, its data in ./data (PORT=7800 DATA=elsewhere)
	@$(BIN)/memorybank serve --listen 127.0.0.1:$(PORT) --data $(DATA)

demo: setup  ## Show the main job on real input: no key, no network
	@$(BIN)/memorybank demo --check examples/expect.yaml

examples: setup $(EXAMPLES)/.ready  ## Run the example agents, a script in the place of their model
	@$(BIN)/python -m examples $(EXAMPLES)/bin/python

try-local-model: setup $(LOCAL_MODEL)/.ready  ## Let a small real model play all the agents: minutes, 300 MB fetched
	@$(BIN)/python -m tools.try_local_model $(LOCAL_MODEL) $(LLAMA_SERVER)

# The clients in other languages: packages as their users install them, each built where its toolchain is.
PROTOS := $(wildcard protos/memorybank/v1/*.proto)
CLIENTS := build/clients
CLIENTS_VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' clients/python/pyproject.toml)

BUILDER_go := go
BUILDER_typescript := npm
BUILDER_java := mvn
# Maven runs for seconds: what Java's second compiler does for it costs more than it gains.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
# Go compiles each package once for all of them: without its path, it is also that of a project of the tests, elsewhere.
export GOFLAGS ?= -trimpath

clients: client-go client-typescript client-java  ## Build the clients' packages into build/clients: Go module, npm tarball, jar

client-%:
	@command -v $(BUILDER_$*) >/dev/null && $(MAKE) --silent $(CLIENTS)/$*/.built || echo "the client in $* is not built"

$(CLIENTS)/go/.built: $(wildcard clients/go/*) $(wildcard clients/go/memorybank/v1/*) tools/go_module.py
	@rm -rf $(@D) && cd clients/go && go vet .
	@$(PYTHON) -m tools.go_module clients/go v$(CLIENTS_VERSION) $(@D)
	@touch $@

$(CLIENTS)/typescript/.built: $(wildcard clients/typescript/src/*.ts clients/typescript/*.json clients/typescript/*.yaml clients/typescript/*.md clients/typescript/protos/*) $(PROTOS) | $(BUF)
	@rm -rf $(@D) clients/typescript/dist clients/typescript/src/gen && mkdir -p $(@D)
	@cd clients/typescript && npm ci --silent --no-audit --no-fund \
	  && $(abspath $(BUF)) generate ../../protos && $(abspath $(BUF)) generate protos \
	  && npm run --silent build && npm pack --silent --pack-destination $(abspath $(@D)) >/dev/null
	@npm install --silent --no-audit --no-fund --prefix $(@D)/installed $(@D)/*.tgz >/dev/null
	@touch $@

# Maven finds what it built where it keeps all that it has fetched.
$(CLIENTS)/java/.built: $(wildcard clients/java/src/main/java/memorybank/client/*.java) clients/java/pom.xml $(PROTOS) protos/memorybank/v1/service_config.json
	@rm -rf $(@D) && mkdir -p $(@D)
	@cd clients/java && mvn -q -B -Dstyle.color=never install && cp target/*.jar $(abspath $(@D))
	@touch $@

# The examples over them.
languages: language-java language-typescript language-go mcp-host  ## Build the clients and the examples in Go, TypeScript and Java (clients/README.md)

language-%:
	@command -v $(BUILDER_$*) >/dev/null && $(MAKE) --silent $(LANGUAGES)/$* $(CLIENTS)/players/$* || echo "the example in $* is not built"

mcp-host:
	@command -v npm >/dev/null && $(MAKE) --silent $(LANGUAGES)/mcp-host || echo "the MCP host in typescript is not installed: its test is skipped"

$(LANGUAGES)/go: $(wildcard examples/go/*.go examples/go/*/*.go) examples/go/go.mod $(CLIENTS)/go/.built
	@mkdir -p $(@D)
	@cd examples/go && go build -o $(abspath $@)-steady ./steady && go build -o $(abspath $@) .

$(LANGUAGES)/typescript: examples/typescript/main.ts examples/typescript/package-lock.json $(CLIENTS)/typescript/.built
	@mkdir -p $(@D)
	@cd examples/typescript && npm ci --silent --no-audit --no-fund && npm run --silent build
	@touch $@

# What plays the transcript of tests/clients.
PLAYERS := tests/clients/players

$(CLIENTS)/players/go: $(PLAYERS)/go/main.go $(PLAYERS)/go/go.mod $(CLIENTS)/go/.built
	@cd $(PLAYERS)/go && go build -o $(abspath $@) .

$(CLIENTS)/players/typescript: $(PLAYERS)/typescript/main.ts $(PLAYERS)/typescript/package-lock.json $(CLIENTS)/typescript/.built
	@cd $(PLAYERS)/typescript && npm ci --silent --no-audit --no-fund && npm run --silent build
	@mkdir -p $(@D) && touch $@

# After the example: two Mavens at once would fetch into one folder.
$(CLIENTS)/players/java: $(PLAYERS)/java/src/main/java/player/Player.java $(PLAYERS)/java/pom.xml $(CLIENTS)/java/.built | $(LANGUAGES)/java
	@cd $(PLAYERS)/java && mvn -q -B -Dstyle.color=never compile dependency:build-classpath -Dmdep.outputFile=target/classpath
	@mkdir -p $(@D) && touch $@

# No example: the host in TypeScript that a test of `memorybank mcp` runs.
$(LANGUAGES)/mcp-host: tests/clients/typescript/package-lock.json
	@mkdir -p $(@D)
	@cd $(<D) && npm ci --silent --no-audit --no-fund
	@touch $@

$(LANGUAGES)/java: examples/java/src/main/java/example/Example.java examples/java/pom.xml $(CLIENTS)/java/.built
	@mkdir -p $(@D)
	@cd examples/java && mvn -q -B -Dstyle.color=never compile dependency:build-classpath -Dmdep.outputFile=target/classpath
	@touch $@

# ---- checking ----

# What is fetched, built and read goes side by side, as soon as what it needs is there: more at once than there are
# processors, as some wait for the network. Last the tests by themselves: a wrong type is told of before they begin.
FETCHED := packages setup languages langchain pooler browser
QUICK := types compiled lint layers proto-lint narrowed check-proto
LONG := test-all
STEPS := build/steps

check:  ## All that must hold: what CI runs; at the end the seconds of each step
	@mkdir -p $(dir $(STEPS)); : > $(STEPS); status=0; \
	{ $(MAKE) --jobs 4 --output-sync=target --no-print-directory $(patsubst %,step-%,$(FETCHED) $(QUICK)) \
	  && $(MAKE) --jobs 2 --no-print-directory $(LONG:%=step-%); } || status=$$?; \
	awk -v steps="$(FETCHED) $(QUICK) $(LONG)" '{seconds[$$1] = $$2; failed[$$1] = $$3} \
	  END {for (i = 1; i <= split(steps, step, " "); i++) \
	    if (step[i] in seconds) printf "%6d s  %s%s\n", seconds[step[i]], step[i], failed[step[i]] ? "  FAILED" : ""; \
	    else printf " not run  %s\n", step[i]}' $(STEPS); \
	exit $$status

# What is fetched says so while it comes.
step-%:
	@began=$$(date +%s); status=0; $(MAKE) --no-print-directory $(if $(filter $*,$(FETCHED)),--output-sync=none) $* || status=$$?; \
	echo "$* $$(($$(date +%s) - began)) $$status" >> $(STEPS); exit $$status

# Each waits for the step that makes what it uses: else both would make it.
after = $(filter $(addprefix step-,$(1)),$(FETCHED:%=step-%))
step-setup step-types step-lint step-layers step-narrowed step-browser: | $(call after,packages)
step-compiled: | $(call after,setup)
step-proto-lint step-check-proto: | $(call after,packages languages)

# Once, what the tests import: their workers, which begin together, would each compile it. What cannot be, they tell.
compiled: setup
	@$(BIN)/python -m pytest --collect-only --quiet >/dev/null 2>&1 || true

# LangChain is only for its example's tests: without it, and without a network, these are skipped.
langchain:
	@$(MAKE) --silent $(EXAMPLES)/.ready 2>/dev/null || echo "LangChain cannot be fetched: its example goes untested"

# pgbouncer is only for its own test: where it is not installed, Debian's is unpacked here, which needs no root.
pooler:
	@PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null || $(MAKE) --silent $(POOLER)/.ready 2>/dev/null \
	  || echo "pgbouncer is not here and cannot be fetched: its test is skipped"

$(POOLER)/.ready:
	@mkdir -p $(@D)
	@cd $(@D) && apt-get download -qq pgbouncer $$(apt-cache depends --important pgbouncer | awk '/ lib(event|c-?ares)/ {print $$NF}')
	@cd $(@D) && for package in *.deb; do dpkg-deb --extract $$package .; done
	@touch $@

# Chromium is only for tests of the console: where it is not installed, Debian's is unpacked here, which needs no root.
browser: | $(VENV)/.packages
	@$(MAKE) --silent $(BROWSER)/.ready 2>/dev/null || echo "Chromium cannot be fetched: the console's tests in a browser are skipped"

$(BROWSER)/.ready: requirements-browser.lock
	@mkdir -p $(@D)/packages
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes --no-deps --upgrade --target $(@D)/python -r requirements-browser.lock
	@cd $(@D)/packages && command -v chromium >/dev/null || { \
	  apt-get download -qq $$(apt-get install --simulate --no-install-recommends chromium | awk '/^Inst/ {print $$2}') \
	  && for package in *.deb; do dpkg-deb --extract $$package .. && rm $$package; done; }
	@touch $@

# A file's tests stay together: they share what is costly to start; files with slow ones go first. More workers than there
# are processors: a quick test seldom waits, a slow one often, for a server that it starts.
WAITING = 1
WORKERS = --numprocesses $$(( $$($(BIN)/python -c 'import os; print(os.cpu_count())') + $(WAITING) )) --dist loadfile --no-loadscope-reorder
RUN_TESTS = $(BIN)/python -m pytest $(WORKERS) --durations=25

test: setup  ## Run the quick tests, two in three of all: needs nothing but what `make setup` makes
	@$(RUN_TESTS) --quick

test-all: WAITING = 2
test-all: setup langchain languages pooler browser  ## Run all tests, as `make check` does
	@$(RUN_TESTS)

long-tasks: setup  ## Write the prompts of the long tasks anew: read what changed
	@PYTHONPATH=.:protos:clients/python $(BIN)/python -m tests.long_tasks

suites: setup  ## Run frameworks' own tests on our adapters, on copies (LANGGRAPH=checkout DEEPAGENTS=… OPENAI_AGENTS=… LANGCHAIN=version)
	@$(BIN)/python -m tools.suites LANGGRAPH="$(LANGGRAPH)" DEEPAGENTS="$(DEEPAGENTS)" OPENAI_AGENTS="$(OPENAI_AGENTS)" LANGCHAIN="$(LANGCHAIN)"

sanitize: setup  ## Run the tests of the native modules under ASan and UBSan
	@CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=undefined -DNO_MANUAL_VECTORIZATION" \
		$(BIN)/python setup.py --quiet build --build-lib build/sanitized --build-temp build/sanitized-objects
	@LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		$(BIN)/python -m pytest -o pythonpath=build/sanitized -p no:cacheprovider -p no:xdist --capture=sys tests/core/native tests/service/native

native-builds: setup  ## Compile the native modules by every compiler at hand: GCC 11, 12, clang 14, for arm64
	@$(BIN)/python -m tools.native_builds

# An earlier commit as a release would have it, to run beside this one on one store. It stays out of the repository.
UPGRADE_FROM ?= 9ef993014e53
UPGRADE := build/upgrade/$(UPGRADE_FROM)

upgrade-wheel: setup $(UPGRADE)/.ready  ## Build the wheel of an earlier commit, and unpack it for tests/e2e/test_upgrade.py (UPGRADE_FROM=…)

$(UPGRADE)/.ready:
	@git cat-file -e $(UPGRADE_FROM)^{commit} 2>/dev/null || { echo "the history has no commit $(UPGRADE_FROM): fetch it whole" >&2; exit 1; }
	@rm -rf $(@D) && mkdir -p $(@D)/source
	@git archive $(UPGRADE_FROM) | tar --extract --directory $(@D)/source
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(@D)/wheels $(@D)/source
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --target $(@D)/installed $(@D)/wheels/*.whl
	@rm -rf $(@D)/source && touch $@

ON_POSTGRES := tests/conformance tests/service/adapters/test_postgres_store.py tests/service/api/test_on_postgres.py

SOAKED := $(addprefix tests/,e2e mesh model console oracles long_tasks clients/test_transcript.py clients/python/test_mcp_cancelled.py \
	core/agents/offline core/aggregate core/bank core/context core/conversation core/index core/language core/native core/text \
	service/adapters/local_embedder service/api/test_encodings.py service/native core/usecases/context/test_quarrels.py core/usecases/context/test_needless.py examples/test_languages.py \
	core/usecases/bank/test_failure_is_not_loss.py service/test_failing_endpoint.py service/cli/test_demo.py service/cli/test_serve_refuses.py \
	service/api/test_fuzz.py service/api/test_large_context.py service/api/test_texts_for_agents.py)

soak: setup sanitize pooler browser languages callers upgrade-wheel  ## Run end-to-end and model tests at full size: kills, races, long documents, random operations
	@MEMORYBANK_TEST_SCALE=10 $(BIN)/python -m pytest -s $(SOAKED)
	@for version in 16 18; do MEMORYBANK_TEST_POSTGRES=$$version $(BIN)/python -m pytest --quiet $(ON_POSTGRES); done

lint: packages  ## Check style and layout (ruff)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "not as the formatter writes it: run \`make format\`" >&2; exit 1; }

types: packages  ## Check types (mypy --strict)
	@$(BIN)/mypy

layers: packages  ## Prove that the arrows between the layers go one way (import-linter)
	@$(BIN)/lint-imports

bench: setup  ## Print the benchmarks' figures
	@for file in tests/bench/bench_*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

# Sets to measure retrieval on: of the checkout, and of the data beside it, if any. Others: make bench-quality SETS=…
SETS ?= $(wildcard tests/bench/evaluation/*.json ../shared/data/locomo*.json ../shared/data/letta*.jsonl)

bench-quality: setup  ## Measure what is found, and what is not: the tables of tests/bench/figures/retrieval.md
	@test -n "$(SETS)" || { echo "no sets: name some with SETS=…, in the form of docs/evaluation.md" >&2; exit 1; }
	@$(BIN)/memorybank eval --worst 10 $(SETS)
	@$(BIN)/memorybank eval --frontier $(SETS)

load: setup $(GHZ)  ## Put the service under load by ghz, and write a report (needs Go; LOAD="--nodes 100000")
	@$(BIN)/python -m tests.load --ghz $(GHZ) $(LOAD)

$(GHZ):
	@command -v go >/dev/null || { echo "needs Go, to build ghz (https://go.dev/dl)" >&2; exit 1; }
	@echo "building ghz $(GHZ_VERSION)"
	@GOBIN=$(abspath $(@D)) go install github.com/bojand/ghz/cmd/ghz@$(GHZ_VERSION)

callers: $(GHZ)  ## Build the tools that call a server with a key and TLS: ghz, grpcurl, grpc-health-probe (needs Go)
	@command -v go >/dev/null || { echo "needs Go, to build them (https://go.dev/dl)" >&2; exit 1; }
	@GOBIN=$(abspath $(CALLERS)) go install github.com/fullstorydev/grpcurl/cmd/grpcurl@$(GRPCURL_VERSION)
	@GOBIN=$(abspath $(CALLERS)) go install github.com/grpc-ecosystem/grpc-health-probe@$(HEALTH_PROBE_VERSION)
	@ln -sf $(abspath $(GHZ)) $(CALLERS)/ghz

train-reader: setup  ## Train the Reader, which finds what lasts in what users say: its weights, from templates
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.reading.train

bench-judging: setup  ## Measure conflicts and merges on pairs written for it (JUDGING=--locked)
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.bench.bench_judging $(JUDGING)

bench-conflicts: setup  ## Count the conflicts opened of chats, licences and manual pages (CONFLICTS="--only chats --show")
	@$(BIN)/python -m tests.bench.bench_conflicts $(CONFLICTS)

bench-growth: setup  ## Measure cost as work grows, and write a report (GROWTH="--nodes 1000 1000000 --patience 20000")
	@$(BIN)/python -m tests.bench.growth $(GROWTH)

bench-peers: setup $(VENV)/peers/.ready  ## Measure other stores on the same data (PEERS="--nodes 10000 --only chroma")
	@$(BIN)/python -m tests.bench.peers --python $(VENV)/peers/bin/python $(PEERS)

$(VENV)/peers/.ready: tests/bench/peers/requirements.txt | $(VENV)/.ready
	@echo "setting up the peers: a gigabyte, once"
	@test -x $(VENV)/peers/bin/python || $(PYTHON) -m venv $(VENV)/peers
	@# one by one: a peer that cannot be had is left out, and the others are measured
	@grep -v '^#' $< | while read -r peer; do env -u PYTHONPATH $(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check "$$peer" || echo "SKIPPED $$peer: it cannot be installed here"; done
	@touch $@

format: setup  ## Bring the code into form (ruff)
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

access: setup  ## Write the table of all RPCs in docs/access.md, and the list of reads in deploy, anew from the contract
	@$(BIN)/python -m tools.document_access
	@$(BIN)/python -m tools.mark_reads

settings: setup  ## Write docs/configuration.md anew from the settings in the code
	@$(BIN)/python -m tools.document_settings

# ---- the contract ----

GO_STUBS := $(LANGUAGES)/bin/protoc-gen-go $(LANGUAGES)/bin/protoc-gen-go-grpc

proto: $(GENERATOR)/.ready  ## Make stubs, descriptor set and service config from the protos
	@$(GENERATOR)/bin/python tools/generate_stubs.py
	@if command -v go >/dev/null && command -v npm >/dev/null; then $(MAKE) --silent go-stubs TO=.; else echo "the stubs of clients/go are as they were: they need Go and npm" >&2; fi

check-proto: $(GENERATOR)/.ready  ## Check that they are what the protos say
	@$(GENERATOR)/bin/python tools/generate_stubs.py --check
	@if command -v go >/dev/null && command -v npm >/dev/null; then rm -rf build/go-stubs && $(MAKE) --silent go-stubs TO=build/go-stubs \
	  && for each in memorybank service_config.json; do \
	    diff -r clients/go/$$each build/go-stubs/clients/go/$$each || { echo "clients/go is not what the protos say: run \`make proto\`" >&2; exit 1; }; done; fi

go-stubs: $(GO_STUBS) | $(BUF)
	@mkdir -p $(TO)/clients/go && PATH="$(abspath $(LANGUAGES)/bin):$$PATH" $(BUF) generate -o $(TO)
	@cp protos/memorybank/v1/service_config.json $(TO)/clients/go/

$(LANGUAGES)/bin/protoc-gen-go:
	@GOBIN=$(abspath $(@D)) go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12

$(LANGUAGES)/bin/protoc-gen-go-grpc:
	@GOBIN=$(abspath $(@D)) go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2

proto-lint:  ## Check the contract's style, and against the last release (buf; needs npm)
	@if [ ! -x $(BUF) ] && ! command -v npm >/dev/null; then echo "SKIPPED proto-lint: buf comes through npm, which is not here"; exit 0; fi; \
	test -x $(BUF) || $(MAKE) --no-print-directory $(BUF); \
	$(BUF) lint; \
	last=$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true); \
	if [ -n "$$last" ]; then $(BUF) breaking --against ".git#tag=$$last"; fi

narrowed: packages  ## Check that no option of the contract is narrower than in the last release
	@last=$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true); \
	if [ -n "$$last" ]; then mkdir -p build && git show $$last:protos/memorybank/v1/memorybank.binpb >build/last.binpb \
	  && $(BIN)/python -m tools.narrowed build/last.binpb protos/memorybank/v1/memorybank.binpb; fi

# ---- giving it to others ----

wheels: setup $(WHEELS)/.ready  ## Build the wheels of the client and of the server into dist/, and try them
	@rm -rf build/wheels && mkdir -p build/wheels dist
	@for folder in . clients/python; do \
	  $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheels $$folder; \
	done
	@PATH="$(abspath $(WHEELS))/bin:$$PATH" $(WHEELS)/bin/auditwheel repair --wheel-dir dist build/wheels/agentic_memory_bank-*.whl
	@mv build/wheels/agentic_memory_bank_client-*.whl dist
	@$(BIN)/python -m tools.try_wheels dist

RELEASE := dist/release

release: wheels  ## Put a release together in dist/release: wheels, source, descriptor, SBOM, digests
	@rm -rf $(RELEASE)
	@$(BIN)/python -m tools.release dist $(RELEASE) $(abspath $(WHEELS))/bin/cyclonedx-py

deploy-check: setup  ## Check the chart, Envoy's configuration and the alerts by the tools that read them (helm, promtool, …)
	@test -x $(DEPLOY)/bin/helm || $(MAKE) --silent $(DEPLOY)/bin/helm || echo "helm cannot be built: it needs Go and its modules"
	@$(MAKE) --silent $(DEPLOY)/.ready || echo "kubernetes-validate cannot be fetched"
	@PATH="$$PATH:$(DEPLOY)/prometheus/usr/bin" command -v promtool >/dev/null || $(MAKE) --silent $(DEPLOY)/prometheus || echo "promtool cannot be fetched"
	@DEPLOY_TOOLS=$(abspath $(DEPLOY)) deploy/check-deploy

$(DEPLOY)/bin/helm:
	@command -v go >/dev/null
	@echo "building helm $(HELM_VERSION), some minutes once"
	@GOBIN=$(abspath $(@D)) go install helm.sh/helm/v3/cmd/helm@$(HELM_VERSION)

$(DEPLOY)/.ready: requirements-deploy.lock | $(VENV)/.ready
	@test -x $(DEPLOY)/bin/python || $(PYTHON) -m venv $(DEPLOY)
	@env -u PYTHONPATH $(DEPLOY)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements-deploy.lock
	@touch $@

$(DEPLOY)/prometheus:
	@mkdir -p $@.part && cd $@.part && apt-get download -qq prometheus && dpkg-deb --extract prometheus_*.deb . && rm prometheus_*.deb
	@mv $@.part $@

image-check:  ## Build the image by buildah on a Debian made by debootstrap, and run the demo in it (as root)
	@deploy/check-image

# ---- cleaning up ----

clean:  ## Remove what was built, fetched and cached; data stays
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@rm -f */native/*.so
	@find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup packages lock serve demo suites examples try-local-model clients languages mcp-host go-stubs check langchain pooler browser test test-all train-reader long-tasks sanitize native-builds upgrade-wheel soak lint types layers bench load callers bench-conflicts bench-growth bench-judging bench-peers bench-quality format proto check-proto proto-lint narrowed wheels release deploy-check image-check clean
