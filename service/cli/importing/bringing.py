"""Brings what a file holds to the service: facts by ImportCollection, conversations by AddTurns; each once."""

import hashlib
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from memorybank.v1 import conversation_pb2 as talk_pb
from memorybank.v1 import long_term_pb2 as pb
from memorybank_client import ErrorReason, NotFound, SyncMemoryBankClient
from service.cli.importing.found import LONGEST_TEXT, Fact, FileContents, FileDamaged, Saying, Talk, pieces

CONTENT = 4_096  # code points of a record; what is longer stands whole in its detail
METADATA = 60_000  # characters of a record's metadata
RECORDS, TURNS = 1_000, 100  # of a call
LABEL = 128
IMPORTED, IMPORTED_REPLY = "imported", "imported_reply"
"""Labels of a turn: the ids that its two sides had."""
CATEGORY = "life"
PATIENCE, PAUSE = 10.0, 0.2  # seconds that the judging of new facts is waited for, and between two looks
WORDS = re.compile(r"\W+")

T = TypeVar("T")


@dataclass(kw_only=True)
class Report:
    """What came, and what was noticed on the way."""

    facts: int = 0
    known_facts: int = 0
    sensitive: list[str] = field(default_factory=list)
    messages: int = 0
    known_messages: int = 0
    conversations: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    repeated: list[tuple[str, str]] = field(default_factory=list)
    contested: list[tuple[str, str]] = field(default_factory=list)
    unjudged: int = 0


def report_of(found: FileContents) -> Report:
    """Returns what would come of a file: all of it, less what stands there twice."""
    return Report(
        facts=len(once(found.facts)),
        messages=sum(len(talk.sayings) for talk in found.talks),
        conversations=len(found.talks),
        left_out=found.left_out,
        repeated=repeated(found.facts),
    )


def once(facts: Iterable[Fact]) -> list[Fact]:
    """Returns the facts of different ids."""
    return list({fact.id: fact for fact in facts}.values())


def repeated(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Returns the texts of facts that say the same, but for case and punctuation, as one before them."""
    first: dict[tuple[str, str], str] = {}
    pairs = []
    for fact in once(facts):
        key = fact.user, WORDS.sub(" ", fact.text.casefold()).strip()
        if key in first:
            pairs.append((fact.text, first[key]))
        first.setdefault(key, fact.text)
    return pairs


def bring(
    client: SyncMemoryBankClient,
    found: FileContents,
    *,
    source: str,
    user: str,
    collection: str,
    allow_sensitive: bool,
) -> Report:
    """Brings all of it, to `user`, or each thing to the user whose it was."""
    report = Report(left_out=found.left_out, repeated=repeated(found.facts))
    of_users: dict[str, list[Fact]] = defaultdict(list)
    for fact in once(found.facts):
        of_users[user or fact.user].append(fact)
    for name, facts in of_users.items():
        owner = {"user": name, "collection": collection}
        for batch in _batched(facts, RECORDS):
            done = client.import_collection(_files(batch, source), **owner, allow_sensitive=allow_sensitive)
            report.facts += done.records
            report.known_facts += len(done.known_ids)
            report.sensitive += done.refused_ids
        _judged(client, owner, {fact.id for fact in facts}, report)
    for talk in found.talks:
        _bring_talk(client, talk, user or talk.user, collection, report)
    return report


def _batched(items: Iterable[T], most: int) -> Iterator[list[T]]:
    left = iter(items)
    while batch := list(islice(left, most)):
        yield batch


def _files(facts: Iterable[Fact], source: str) -> Iterator[pb.ExportCollectionResponse]:
    """Yields a collection's files, as ExportCollection writes them."""
    listed = list(facts)
    index = json.dumps({"memories": [_entry(fact, source) for fact in listed]}, ensure_ascii=False)
    for start in range(0, len(whole := index.encode()), 1 << 20):
        yield pb.ExportCollectionResponse(path="memory.json", content=whole[start : start + (1 << 20)])
    for fact in listed:
        if len(fact.text) > CONTENT:
            text = f"---\nmemory_id: {fact.id}\n---\n\n{fact.text}"
            yield pb.ExportCollectionResponse(path=f"reflections/{fact.id}.md", content=text.encode())


def _entry(fact: Fact, source: str) -> dict[str, Any]:
    short = fact.text if len(fact.text) <= CONTENT else fact.text[: CONTENT - 1] + "…"
    entry: dict[str, Any] = {
        "memory_id": fact.id,
        "kind": "fact",
        "category": CATEGORY,
        "tags": [tag[:256] for tag in fact.tags[:100]],
        "content": short,
        "source": source,
    }
    metadata = {source: fact.metadata}
    if fact.metadata and len(json.dumps(metadata, ensure_ascii=False)) <= METADATA:
        entry["metadata"] = metadata
    updated = fact.update_time or fact.time
    times = {"event_time": fact.time, "created_at": fact.time or updated, "updated_at": updated}
    entry |= {name: moment.isoformat() for name, moment in times.items() if moment is not None}
    if fact.valid_until is not None:  # the other system knew that it holds no more
        ended = {"state": "superseded", "superseded_reason": "caller", "judged": True}
        entry |= {"valid_until": fact.valid_until.isoformat(), **ended}
    return entry


def _judged(client: SyncMemoryBankClient, owner: dict[str, Any], brought: set[str], report: Report) -> None:
    """Waits until new facts are judged, and reports which of them contest one another or say the same."""
    until = time.monotonic() + PATIENCE
    while left := client.get_collection(**owner).counts.unjudged:
        if time.monotonic() > until:
            report.unjudged += left
            break
        time.sleep(PAUSE)
    known = {record.record_id: record for record in _facts(client, owner)}
    for record in known.values():
        if record.record_id not in brought:
            continue
        for other in record.contested_with:
            if other in known and record.record_id < other:
                report.contested.append((record.content, known[other].content))
        if record.superseded_reason == pb.SUPERSEDED_REASON_SAME and record.superseded_by in known:
            pair = record.content, known[record.superseded_by].content
            if pair not in report.repeated and pair[::-1] not in report.repeated:
                report.repeated.append(pair)


def _facts(client: SyncMemoryBankClient, owner: dict[str, Any]) -> Iterator[pb.Record]:
    token = ""
    while True:
        chosen = pb.RecordFilter(kinds=[pb.RECORD_KIND_FACT])
        page = client.list_records(**owner, filter=chosen, page_size=1_000, page_token=token)
        yield from page.records
        token = page.next_page_token
        if not token:
            return


def _bring_talk(client: SyncMemoryBankClient, talk: Talk, user: str, collection: str, report: Report) -> None:
    owner = {"user": user, "conversation_id": talk.id}
    known = _known(client, owner)
    new = [saying for saying in talk.sayings if _label(saying) not in known]
    report.conversations += bool(new)
    report.messages += len(new)
    report.known_messages += len(talk.sayings) - len(new)
    for batch in _batched(_turns(new), TURNS):
        client.add_turns(**owner, collection=collection, turns=batch)


def _known(client: SyncMemoryBankClient, owner: dict[str, Any]) -> set[str]:
    """Returns the ids of the messages that are there."""
    known: set[str] = set()
    token = ""
    try:
        while True:
            page = client.list_turns(**owner, page_size=1_000, page_token=token)
            for turn in page.turns:
                known |= {turn.labels[name] for name in (IMPORTED, IMPORTED_REPLY) if name in turn.labels}
            token = page.next_page_token
            if not token:
                return known
    except NotFound as error:
        if error.reason != ErrorReason.ERROR_REASON_CONVERSATION_NOT_FOUND:
            raise
        return known


def _turns(sayings: Iterable[Saying]) -> Iterator[talk_pb.Turn]:
    """Yields a turn for each message; a reply stands in the turn of what it answers."""
    turn: talk_pb.Turn | None = None
    for saying in sayings:
        for words in pieces(saying.text):
            if turn is not None and not (saying.is_reply and not turn.reply):
                yield turn
                turn = None
            turn = turn or talk_pb.Turn()
            if saying.time is not None and not turn.HasField("event_time"):
                turn.event_time.FromDatetime(saying.time)
            side, label = ("reply", IMPORTED_REPLY) if saying.is_reply else ("input", IMPORTED)
            setattr(turn, side, words)
            turn.labels[label] = _label(saying)
    if turn is not None:
        yield turn


def _label(saying: Saying) -> str:
    if len(saying.id) <= LABEL:
        return saying.id
    return hashlib.sha256(saying.id.encode()).hexdigest()


def require_room(found: FileContents) -> None:
    """Raises FileDamaged for a text that no record can hold."""
    for place, fact in enumerate(found.facts):
        if len(fact.text) > LONGEST_TEXT:
            raise FileDamaged(
                f"[{place}]", f"holds {len(fact.text):,} characters, and a record at most {LONGEST_TEXT:,}"
            )
        if "\0" in fact.text:
            raise FileDamaged(f"[{place}]", "holds a null character, which is no text")
