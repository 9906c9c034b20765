"""For every field of every request of Instructions, values that cannot be accepted; or why there are none."""

from collections.abc import Mapping

from google.protobuf.message import Message

from memorybank.v1 import instructions_pb2 as pb
from tests.service.api.violations import (
    BAD_BUDGETS,
    BAD_IDS,
    BAD_PAGES,
    BAD_REVISIONS,
    YES_OR_NO,
    Table,
    text,
    under,
)

UNPRINTED = ["a\nb", "\x1b[31mred", "tab\there", "next\x85line", "a\u2028b"]
NAMES = [*text(128, needed=True), *UNPRINTED]
PATHS = [*text(1_024, needed=True), *UNPRINTED, "../a\0"]
VERSIONS = [0, *BAD_REVISIONS]
OWNER: Table = {"user": NAMES, "agent": NAMES, "project": NAMES, "tenant": [False]}
ONE: Table = {**under("owner.", OWNER), "path": PATHS}
ADA = pb.Owner(user="ada")
REF = pb.SourceRef(owner=ADA)

RIGHT: dict[str, Message] = {
    "PutSource": pb.PutSourceRequest(owner=ADA, path="AGENTS.md", text="- tabs"),
    "GetSource": pb.GetSourceRequest(owner=ADA, path="AGENTS.md"),
    "ListSources": pb.ListSourcesRequest(owner=ADA),
    "ListVersions": pb.ListVersionsRequest(owner=ADA, path="AGENTS.md"),
    "EditSource": pb.EditSourceRequest(owner=ADA, path="AGENTS.md", old_text="tabs", new_text="spaces"),
    "DeleteSource": pb.DeleteSourceRequest(owner=ADA, path="AGENTS.md"),
    "LoadSources": pb.LoadSourcesRequest(refs=[REF]),
}

WRONG: dict[str, Table] = {
    "PutSource": {
        **ONE,
        "text": text(),
        "if_version": BAD_REVISIONS,
        "update_by": text(128),
        "request_id": BAD_IDS,
    },
    "GetSource": {**ONE, "version": VERSIONS, "min_revision": BAD_REVISIONS},
    "ListSources": {
        **under("owner.", OWNER),
        "path_prefix": [*text(1_024), *UNPRINTED],
        **BAD_PAGES,
        "min_revision": BAD_REVISIONS,
    },
    "ListVersions": {**ONE, **BAD_PAGES, "min_revision": BAD_REVISIONS},
    "EditSource": {
        **ONE,
        "old_text": ["", "a\0b"],
        "new_text": ["a\0b", "tabs"],
        "if_version": VERSIONS,
        "update_by": text(128),
        "request_id": BAD_IDS,
    },
    "DeleteSource": {**ONE, "if_version": VERSIONS, "request_id": BAD_IDS},
    "LoadSources": {
        "refs": [[], [REF, REF], [pb.SourceRef(owner=ADA, path=f"{n}.md") for n in range(65)]],
        **under("refs[].owner.", OWNER),
        "refs[].path": [*text(1_024), *UNPRINTED],
        "user": [*text(128), *UNPRINTED],
        "run_id": ["..", "r/1", *BAD_IDS],
        "refresh": [True],
        "token_budget": BAD_BUDGETS,
        "min_revisions": [
            {f"instructions/user/{n}": 1 for n in range(129)},
            {"": 1},
            {"k" * 2_049: 1},
            {"instructions/user/ada": -1},
        ],
    },
}

HARMLESS: dict[str, Mapping[str, str]] = {"LoadSources": {"include_text": YES_OR_NO}}
