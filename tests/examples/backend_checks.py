"""What Deep Agents asks of a backend, asked of ours, over a real server whose HOST:PORT is the argument.

Runs as a program in the environment of the examples, which has Deep Agents and no pytest.
"""

import asyncio
import sys

from deepagents.backends.composite import CompositeBackend
from deepagents.backends.state import StateBackend
from deepagents.middleware.memory import MemoryMiddleware

from memorybank.v1.instructions_pb2 import Owner
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.deepagents import InstructionsBackend

ADA, WEB = Owner(user="ada"), Owner(project="web")


def the_middleware_loads_in_order_skips_what_is_missing_and_keeps_what_it_has(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    backend.write("/AGENTS.md", "- 用中文回答\n")
    backend.write("/web/AGENTS.md", "<!-- by the team -->- FastAPI\n")
    middleware = MemoryMiddleware(backend=backend, sources=["/web/AGENTS.md", "/absent.md", "/AGENTS.md"])

    update = middleware.before_agent({"messages": []}, None, {})
    awaited = asyncio.run(middleware.abefore_agent({"messages": []}, None, {}))

    assert update == awaited
    assert list(update["memory_contents"]) == ["/web/AGENTS.md", "/AGENTS.md"]
    assert middleware.before_agent({"messages": [], **update}, None, {}) is None
    shown = middleware._format_agent_memory(update["memory_contents"])
    assert "/web/AGENTS.md\n\n- FastAPI\n\n/AGENTS.md\n\n- 用中文回答" in shown
    assert client.get_source(owner=WEB, path="/web/AGENTS.md").source.update_by == "agent"


def more_than_one_call_s_worth_of_files_is_loaded_all_the_same(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    paths = [f"/many/{number:03}.md" for number in range(70)]
    for path in paths:
        backend.write(path, path)

    loaded = backend.download_files([*paths, paths[0], "/absent.md"])

    assert [each.content for each in loaded[:70]] == [path.encode() for path in paths]
    assert loaded[70].content == b"/many/000.md"
    assert loaded[71].error == "file_not_found"


def a_run_downloads_what_it_downloaded_first(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    backend.write("/run.md", "one")
    run = InstructionsBackend(client, {"/": ADA}, run_id="r-backend", user="ada")
    first = run.download_files(["/run.md"])
    backend.write("/run.md", "two")

    assert run.download_files(["/run.md"]) == first
    assert backend.download_files(["/run.md"])[0].content == b"two"


def edits_are_exact_and_refusals_are_words(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    backend.write("/edit.md", "- tabs\n- tabs\n- short\n")

    ambiguous = backend.edit("/edit.md", "tabs", "spaces")
    absent = backend.edit("/edit.md", "long", "x")
    missing = backend.edit("/absent.md", "a", "b")
    empty = backend.edit("/edit.md", "", "b")
    everywhere = backend.edit("/edit.md", "tabs", "spaces", replace_all=True)
    one = backend.edit("/edit.md", "short", "long")

    client.put_source(owner=ADA, path="bare.md", text="one")  # as a command stores it, without the stroke
    assert backend.edit("/bare.md", "one", "two 二").error is None
    assert backend.write("bare-2.md", "x").error is None
    assert [each.content for each in backend.download_files(["/bare.md", "bare.md"])] == [
        "two 二".encode()
    ] * 2
    listed = [entry["path"] for entry in backend.ls("/").entries or ()]
    assert [path for path in listed if "bare" in path] == ["/bare-2.md", "/bare.md"]
    assert missing.error == "Error: File '/absent.md' not found"

    assert ambiguous.error is not None
    assert "2 times" in ambiguous.error
    assert absent.error is not None
    assert "not found" in absent.error
    assert missing.error is not None
    assert empty.error is not None
    assert (everywhere.occurrences, one.occurrences) == (2, 1)
    assert client.get_source(owner=ADA, path="/edit.md").source.text == "- spaces\n- spaces\n- long\n"


def files_are_read_by_lines_listed_found_and_searched(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    backend.write("/notes/a.md", "one\ntwo\nthree\n")
    backend.write("/notes/deep/b.txt", "two twice\n")

    window = backend.read("/notes/a.md", offset=1, limit=1)
    listed = backend.ls("/notes").entries or []
    globbed = backend.glob("*.md", "/notes").matches or []
    found = backend.grep("two", "/notes").matches or []

    assert window.file_data is not None
    assert window.file_data["content"] == "two\n"
    assert (window.start_line, window.next_offset, window.total_lines) == (2, 2, 3)
    assert [each["path"] for each in listed] == ["/notes/a.md", "/notes/deep/"]
    assert [each["path"] for each in globbed] == ["/notes/a.md"]
    assert [(each["path"], each["line"]) for each in found] == [("/notes/a.md", 2), ("/notes/deep/b.txt", 1)]
    assert backend.read("/absent.md").error
    assert backend.glob("../*").error


def a_path_of_nobodys_is_refused(client: SyncMemoryBankClient, backend: InstructionsBackend) -> None:
    only = InstructionsBackend(client, {"/web/": WEB})

    assert only.write("/AGENTS.md", "x").error
    assert only.download_files(["/AGENTS.md"])[0].error == "invalid_path"


def uploads_are_text_and_deletion_takes_what_lies_below(
    client: SyncMemoryBankClient, backend: InstructionsBackend
) -> None:
    uploaded = backend.upload_files(
        [("/old/a.md", "文".encode()), ("/old/b/c.md", b"c"), ("/p.png", b"\xff")]
    )

    assert [each.error for each in uploaded] == [None, None, "only UTF-8 text is kept here"]
    assert backend.delete("/old").error is None
    assert backend.ls("/old").entries == []
    assert backend.delete("/old").error


def it_stands_beside_other_backends(client: SyncMemoryBankClient, backend: InstructionsBackend) -> None:
    composite = CompositeBackend(default=StateBackend(), routes={"/memories/": backend})

    assert composite.write("/memories/own.md", "kept").error is None
    assert composite.download_files(["/memories/own.md"])[0].content == b"kept"
    assert client.get_source(owner=ADA, path="/own.md").source.text == "kept"


CHECKS = (
    the_middleware_loads_in_order_skips_what_is_missing_and_keeps_what_it_has,
    more_than_one_call_s_worth_of_files_is_loaded_all_the_same,
    a_run_downloads_what_it_downloaded_first,
    edits_are_exact_and_refusals_are_words,
    files_are_read_by_lines_listed_found_and_searched,
    a_path_of_nobodys_is_refused,
    uploads_are_text_and_deletion_takes_what_lies_below,
    it_stands_beside_other_backends,
)


def main(address: str) -> None:
    with SyncMemoryBankClient(address) as client:
        backend = InstructionsBackend(client, {"/": ADA, "/web/": WEB})
        for check in CHECKS:
            check(client, backend)
            print(check.__name__)


if __name__ == "__main__":
    main(sys.argv[1])
