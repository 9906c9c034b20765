"""Makes what stands beside the protos: Python stubs, the descriptor set and the service config; and the client's verbs.

Runs under the generator's own environment (requirements-generator.lock): stubs refuse an older
grpcio or protobuf than the generator's, so the generator is the oldest that callers may have,
while the service itself runs on newer ones. `--check` compares instead of writing.
"""

import argparse
import filecmp
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto

ROOT = Path(__file__).resolve().parent.parent / "protos"
PACKAGE = Path("memorybank/v1")
DESCRIPTOR_SET = PACKAGE / "memorybank.binpb"
SERVICE_CONFIG = PACKAGE / "service_config.json"
VERBS = ROOT.parent / "clients/python/memorybank_client/verbs.py"

# Five attempts over twelve seconds outlast a restart. gRPC's own servers cut what arrives as they close with
# CANCELLED; a call that its caller cancels is not tried again, whatever the policy says.
RETRY_POLICY = {
    "maxAttempts": 5,
    "initialBackoff": "1s",
    "maxBackoff": "5s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
}
# Half of the tokens may be spent on failed attempts before retries stop: a hundred callers outlast a restart.
RETRY_THROTTLING = {"maxTokens": 1000, "tokenRatio": 1}
# What a purge leaves does not tell a repetition that it was done: it would answer NOT_FOUND.
NOT_REPEATED = ("DeleteBank", "DeleteCollection")


def generate(target: Path) -> None:
    """Writes every generated file under `target`, as it should stand under protos/."""
    protos = sorted((ROOT / PACKAGE).glob("*.proto"))
    services = [path for path in protos if "\nservice " in path.read_text(encoding="utf-8")]
    compile_protos(protos, f"--python_out={target}", f"--mypy_out=quiet:{target}")
    compile_protos(services, f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}")
    compile_protos(
        protos,
        "--include_imports",
        "--include_source_info",
        f"--descriptor_set_out={target / DESCRIPTOR_SET}",
    )
    config = json.dumps(service_config(described(target)), indent=2)
    (target / SERVICE_CONFIG).write_text(config + "\n", encoding="utf-8")


def described(folder: Path) -> Iterable[FileDescriptorProto]:
    return FileDescriptorSet.FromString((folder / DESCRIPTOR_SET).read_bytes()).file


def compile_protos(protos: list[Path], *outputs: str) -> None:
    scripts = Path(sys.executable).parent
    plugins = [f"--plugin={scripts / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT}", *plugins, *outputs, *map(str, protos)]
    subprocess.run(command, check=True)


def service_config(files: Iterable[FileDescriptorProto]) -> dict[str, object]:
    """gRPC's service config: every call is tried again when a replica is unavailable, purges excepted.

    Mutations happen once if they carry a `request_id`. An entry for a method goes before that for its service.
    """
    services = {
        f"{file.package}.{service.name}": [method.name for method in service.method]
        for file in files
        for service in file.service
    }
    once = [
        {"service": service, "method": method}
        for service, methods in services.items()
        for method in methods
        if method in NOT_REPEATED
    ]
    return {
        "methodConfig": [
            {"name": [{"service": service} for service in services], "retryPolicy": RETRY_POLICY},
            {"name": once},
        ],
        "retryThrottling": RETRY_THROTTLING,
    }


# ---- the verbs of the Python client ----

SHAPES = {(False, False): "Unary", (False, True): "Down", (True, False): "Up", (True, True): "Both"}
WIDTH = 110  # columns of a line of code
SERVICE, METHOD = 6, 2  # fields of FileDescriptorProto and ServiceDescriptorProto
HEAD = '''"""The verbs of both clients: one for each RPC of the contract. `make proto` writes this file.

`help()` shows a verb's keywords, and what its fields and errors mean.
"""

from memorybank.v1 import (
{modules}
)
from memorybank_client import pieces
from memorybank_client.shapes import Both, Down, Unary, Up


class Verbs:
    """What can be asked of the service. Streamed verbs take what is streamed first, the rest are keywords alone."""
'''
TAIL = """


METHODS = [shape.method for shape in vars(Verbs).values() if isinstance(shape, Unary | Down | Up | Both)]
"""


def verbs(files: Iterable[FileDescriptorProto]) -> str:
    """Returns the client's class of verbs: a descriptor for each RPC, and the first sentence of its comment."""
    offering = sorted((file for file in files if file.service), key=module_of)
    modules = "\n".join(f"    {module_of(file)}," for file in offering)
    lines = [line for file in offering for line in verbs_of(file)]
    return HEAD.format(modules=modules) + "\n".join(lines) + TAIL


def verbs_of(file: FileDescriptorProto) -> Iterator[str]:
    comments = {tuple(each.path): each.leading_comments for each in file.source_code_info.location}
    messages = {each.name: each for each in file.message_type}
    for at, service in enumerate(file.service):
        yield f"\n    # ---- {service.name} ----\n"
        for number, method in enumerate(service.method):
            request = name_of(method.input_type)
            given = [f"{module_of(file)}.{each}" for each in (request, name_of(method.output_type))]
            if method.client_streaming:  # what names the bank comes first
                header = name_of(messages[request].field[0].type_name)
                given += [f"header={module_of(file)}.{header}", f"cut=pieces.{verb_of(method)}"]
            shape = SHAPES[method.client_streaming, method.server_streaming]
            yield assigned(f"{verb_of(method)} = {shape}", given)
            yield documented(comments[SERVICE, at, METHOD, number])


def assigned(start: str, given: list[str]) -> str:
    line = f"    {start}({', '.join(given)})"
    return line if len(line) <= WIDTH else f"    {start}(\n        " + ",\n        ".join(given) + ",\n    )"


def documented(comment: str) -> str:
    sentence = re.split(r"(?<=\.)\s", " ".join(comment.split()))[0]
    return "\n".join(wrap(f'"""{sentence}"""', WIDTH, initial_indent="    ", subsequent_indent="    "))


def verb_of(method: MethodDescriptorProto) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()


def name_of(type_name: str) -> str:
    return type_name.rpartition(".")[2]


def module_of(file: FileDescriptorProto) -> str:
    return Path(file.name).stem + "_pb2"


# ---- all of it ----


def generated(folder: Path) -> set[Path]:
    patterns = (
        "*_pb2.py",
        "*_pb2.pyi",
        "*_pb2_grpc.py",
        "*_pb2_grpc.pyi",
        DESCRIPTOR_SET.name,
        SERVICE_CONFIG.name,
    )
    return {path.relative_to(folder) for pattern in patterns for path in (folder / PACKAGE).glob(pattern)}


def differences(fresh: Path, committed: Path) -> list[Path]:
    """Generated files that are missing, left over or other than they should be."""
    names = generated(fresh) | generated(committed)
    same, _, _ = filecmp.cmpfiles(fresh, committed, sorted(map(str, names)), shallow=False)
    return sorted(names - set(map(Path, same)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is committed; write nothing")
    arguments = parser.parse_args()
    if not arguments.check:
        for name in generated(ROOT):
            (ROOT / name).unlink()
        generate(ROOT)
        VERBS.write_text(verbs(described(ROOT)), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        stale = [f"protos/{name}" for name in differences(Path(folder), ROOT)]
        if VERBS.read_text(encoding="utf-8") != verbs(described(Path(folder))):
            stale.append(str(VERBS.relative_to(ROOT.parent)))
    for each in stale:
        print(f"{each} is not what the protos say: run `make proto`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
