"""Writes a data folder with something of every kind, and what the service answers from it.

`python -m tests.stored.write NAME` keeps both beside this file, as this commit writes them: every later commit must
read them (`test_folders_of_then.py`).
"""

import json
import sys
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToDict

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from memorybank_client import SyncMemoryBankClient
from memorybank_client.values import timestamp, vector
from tests.support.process import CLIENT_SPACE, server_process

HERE = Path(__file__).parent
USER, TALK, COLLECTION = "ada", "journey", "home"
NEVER = Duration(seconds=-1)
DAY = timestamp(datetime(2026, 3, 1, 9, tzinfo=UTC))
LATER = timestamp(datetime(2026, 6, 1, 9, tzinfo=UTC))
OWNED: dict[str, Any] = {"user": USER, "collection": COLLECTION}
REVIEWED: dict[str, Any] = {"user": USER, "collection": "reviewed"}
OWNER = instructions.Owner(user=USER)

Reading = tuple[str, dict[str, Any]]
"""A verb that reads, and its arguments."""


def write(client: SyncMemoryBankClient) -> None:
    """Writes something of every kind, with what changes of it."""
    _bank(client)
    _own_vectors(client)
    _conversation(client)
    _collection(client)
    _instructions(client)
    _reviewed(client)
    _taken_back(client)


def _bank(client: SyncMemoryBankClient) -> None:
    client.create_bank(
        bank_id="trip", goal="Reach Naxos before noon", user=USER, ttl=NEVER, labels={"of": "then"}
    )
    said = client.memorize(
        bank_id="trip",
        text="# Ferries\n\nThe ferry to Naxos leaves at nine.\n\n# 住处\n\n旅馆的房间有两张床。",
        source="the timetable",
        interaction_id="i-first",
        event_time=DAY,
        request_id="memorize-1",
        wait=types.WAIT_STRUCTURED,
    )
    client.relate(bank_id="trip", node_id=said.node_ids[0], other_node_id=said.node_ids[1])
    client.memorize(
        bank_id="trip",
        text="The ferry to Naxos leaves at ten.",
        source="the captain",
        interaction_id="i-second",
        event_time=LATER,
        wait=types.WAIT_STRUCTURED,
    )
    client.memorize(
        bank_id="trip",
        text="The harbour office opens at six. The ticket costs 42 euros.",
        interaction_id="i-third",
        wait=types.WAIT_STRUCTURED,
    )
    client.memorize(
        bank_id="trip",
        text="The ticket costs 48 euros.",
        interaction_id="i-fourth",
        wait=types.WAIT_STRUCTURED,
    )
    first = min(
        client.list_conflicts(bank_id="trip").conflicts, key=lambda one: one.create_time.ToNanoseconds()
    )
    client.resolve_conflict(
        bank_id="trip", conflict_id=first.conflict_id, verdict="The ferry to Naxos leaves at ten since June."
    )
    client.update_insight(
        bank_id="trip",
        insight=types.Insight(goal="Reach Naxos before eleven"),
        update_mask=FieldMask(paths=["goal"]),
    )


def _own_vectors(client: SyncMemoryBankClient) -> None:
    client.create_bank(bank_id="vectors", embedding_space=CLIENT_SPACE, ttl=NEVER)
    for number in range(3):
        client.add_node(
            bank_id="vectors",
            node_id=f"n{number}",
            summary=f"Node number {number} of the caller's own.",
            embedding=vector([float(number == place) for place in range(CLIENT_SPACE.dimension)]),
        )
    client.merge_nodes(
        bank_id="vectors",
        node_ids=["n0", "n1"],
        summary="Both of them.",
        embedding=vector([1.0] * CLIENT_SPACE.dimension),
    )


def _conversation(client: SyncMemoryBankClient) -> None:
    client.create_conversation(user=USER, conversation_id=TALK, collection="learned", goal="Plan a journey")
    turns = [
        talk.Turn(
            input="My sister is allergic to walnuts.", reply="I will keep that in mind.", event_time=DAY
        ),
        talk.Turn(input="我住在北京，下个月去青岛。", reply="好的。", event_time=DAY),
        talk.Turn(input="We decided to take the ferry at ten.", reply="Noted.", event_time=LATER),
        talk.Turn(input="Actually I live in Leeds.", reply="Thanks for telling me.", event_time=LATER),
    ]
    client.add_turns(user=USER, conversation_id=TALK, collection="learned", turns=turns, request_id="turns-1")
    client.add_key(user=USER, conversation_id=TALK, text="The budget is 500 euros.")
    for invocation_id in ("ended", "open"):
        _invocation(client, invocation_id)
    client.end_invocation(
        user=USER, invocation_id="ended", result="Booked for 48 euros.", succeeded=True, wait=True
    )
    client.end_conversation(user=USER, conversation_id=TALK, wait=True)


def _invocation(client: SyncMemoryBankClient, invocation_id: str) -> None:
    client.start_invocation(
        user=USER,
        collection="learned",
        conversation_id=TALK,
        invocation_id=invocation_id,
        query="Book the ferry",
        enable_memory=True,
    )
    items = [
        talk.Item(step=1, type=talk.ITEM_TYPE_ACTION, tool="ferries", arguments_json='{"to": "Naxos"}'),
        talk.Item(
            step=1,
            type=talk.ITEM_TYPE_OBSERVATION,
            tool="ferries",
            content="The ferry leaves at 10:00 and costs 48 euros.",
        ),
    ]
    client.add_working_items(user=USER, invocation_id=invocation_id, items=items)


def _collection(client: SyncMemoryBankClient) -> None:
    def fact(content: str, **more: Any) -> str:
        return client.store_fact(**OWNED, content=content, wait=True, **more).record.record_id

    gone = fact("The cat is called Mio.")
    client.delete_records(**OWNED, record_ids=[gone])
    fact("The project uses MySQL.", event_time=DAY, category="work")
    fact("The project uses PostgreSQL.", event_time=LATER, category="work", request_id="fact-1")
    fact("项目的代号是青鸟。")
    fact("The office is in Graz.")
    client.add_record(
        **OWNED,
        record=long_term.Record(
            record_id="observed",
            kind=long_term.RECORD_KIND_FACT,
            content="The office is in Linz.",
            origin=long_term.RECORD_ORIGIN_OBSERVED,
        ),
    )
    client.store_episode(
        **OWNED, goal="Book a ferry", steps=["asked", "paid"], outcome="Booked.", lessons="Ask early."
    )
    client.add_record(
        **OWNED,
        record=long_term.Record(
            record_id="s1", kind=long_term.RECORD_KIND_MEMORY, content="Ask for the timetable first."
        ),
    )
    client.record_recovery(
        **OWNED,
        error_type="ValueError",
        tool="ferries",
        message="unknown port: Naksos",
        original_json='{"to": "Naksos"}',
        fixed_json='{"to": "Naxos"}',
        success=True,
    )
    client.give_feedback(**OWNED, record_ids=["s1"], stars=5, reason="It helped.")
    client.generate_reflection(**OWNED, title="Ferries", record_ids=["s1"])
    client.update_user(user=long_term.User(user=USER, enabled=True), update_mask=FieldMask(paths=["enabled"]))


def _instructions(client: SyncMemoryBankClient) -> None:
    client.put_source(owner=OWNER, path="AGENTS.md", text="# Prefs\n\n- Answer in English.\n")
    client.edit_source(owner=OWNER, path="AGENTS.md", old_text="English", new_text="German")
    client.load_sources(
        refs=[instructions.SourceRef(owner=OWNER, path="AGENTS.md")],
        user=USER,
        run_id="load-1",
        include_text=True,
    )


def _reviewed(client: SyncMemoryBankClient) -> None:
    client.update_collection(
        collection=long_term.Collection(**REVIEWED, review=long_term.REVIEW_ALL),
        update_mask=FieldMask(paths=["review"]),
    )
    for number, content in enumerate(("桌子在二楼。", "The desk is oak.", "The lamp is red.", "No lamp.")):
        record = long_term.Record(
            record_id=f"w{number}", kind=long_term.RECORD_KIND_FACT, content=content, source="the shop"
        )
        client.add_record(**REVIEWED, record=record)
    client.review_records(**REVIEWED, record_ids=["w1", "w2"], decision=long_term.REVIEW_DECISION_APPROVE)
    client.review_records(**REVIEWED, record_ids=["w3"], decision=long_term.REVIEW_DECISION_REJECT)


def _taken_back(client: SyncMemoryBankClient) -> None:
    """One of each in quarantine, and one erased."""
    client.retract_records(**REVIEWED, record_ids=["w2"], reason="the lamp was sold")
    client.create_bank(bank_id="taken", ttl=NEVER)
    for number, text in enumerate(
        ("The lighthouse is white.", "灯塔是蓝色的。", "The tower is 41 metres high.")
    ):
        client.memorize(
            bank_id="taken",
            interaction_id=f"t{number}",
            text=text,
            source=f"page {number}",
            wait=types.WAIT_STRUCTURED,
        )
    client.retract_interactions(bank_id="taken", source="page 1")
    done = client.retract_interactions(bank_id="taken", source="page 2", reason="a wrong page")
    client.erase_interactions(bank_id="taken", retraction_id=done.retraction.retraction_id)


def readings() -> Iterator[Reading]:
    """Yields what is asked of the folder; none of it depends on the clock or on a ranking. Further ones come last: a
    folder that was written before them has no answers to them."""
    for bank_id in ("trip", "vectors"):
        yield "get_bank", {"bank_id": bank_id}
        yield "list_nodes", {"bank_id": bank_id}
        yield "list_conflicts", {"bank_id": bank_id, "statuses": list(types.ConflictStatus.values())[1:]}
        yield "get_insight", {"bank_id": bank_id}
        yield "list_interactions", {"bank_id": bank_id}
    talked = {"user": USER, "conversation_id": TALK}
    for verb in (
        "get_conversation",
        "list_turns",
        "list_keys",
        "list_clusters",
        "list_summaries",
        "list_invocations",
    ):
        yield verb, talked
    for collection in (COLLECTION, "learned"):
        owned = {"user": USER, "collection": collection}
        for verb in ("get_collection", "list_records", "list_reflections"):
            yield verb, owned
    yield "get_source", {"owner": OWNER, "path": "AGENTS.md"}
    yield "list_versions", {"owner": OWNER, "path": "AGENTS.md"}
    yield "get_user", {"user": USER}
    yield "get_collection", REVIEWED
    yield "list_records", REVIEWED
    yield "list_records", {**REVIEWED, "filter": long_term.RecordFilter(awaits_review=True)}
    yield "list_retractions", REVIEWED
    yield "list_interactions", {"bank_id": "taken"}
    yield "list_interaction_retractions", {"bank_id": "taken"}


def answers(client: SyncMemoryBankClient) -> list[Any]:
    """Returns what each reading answers, in their order."""
    found = []
    for verb, arguments in readings():
        found.append([verb, MessageToDict(getattr(client, verb)(**arguments))])
    return found


async def keep(name: str) -> None:
    """Writes the folder by a server of this commit, and keeps it with its answers."""
    with TemporaryDirectory() as temporary:
        data = Path(temporary) / "data"
        async with server_process(data) as server:
            with SyncMemoryBankClient(server.address).within(60) as client:
                write(client)
                told = answers(client)
            assert await server.stop() == 0
        kept = HERE / name
        kept.mkdir()
        (kept / "answers.json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n")
        with tarfile.open(kept / "data.tar.xz", "w:xz") as archive:
            for path in sorted(data.rglob("*")):
                if path.is_file() and path.name not in ("log", "lock"):
                    archive.add(path, path.relative_to(data))


if __name__ == "__main__":
    import asyncio

    asyncio.run(keep(sys.argv[1]))
