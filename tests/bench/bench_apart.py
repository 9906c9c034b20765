"""What the sets written apart from the code find (`apart/README.md`), over the wire: what is kept, found and read once.

    python -m tests.bench.bench_apart [alike] [keywords] [corrections] [talks] [rereading] [--show]

alike: facts that look alike, each found by a question about it. keywords: short questions over 5, 10 and 20 facts.
corrections: what the user takes back, and what only looks so. talks: what 300 turns leave standing. rereading: ten
documents that an agent reads four times. `--show` prints what was retired and what contests.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import types_pb2 as types
from memorybank_client import MemoryBankClient
from memorybank_client.errors import NotFound
from tests.support.process import server_process

APART = Path(__file__).parent / "apart"
LANGUAGES = ("en", "zh")
TIMES = 4
SHOW = "--show" in sys.argv


def read(name: str) -> Any:
    return json.loads((APART / f"{name}.json").read_text(encoding="utf-8"))


async def alike(client: MemoryBankClient) -> None:
    """Stores what looks alike, and asks about each."""
    given = read("alike_facts")
    for language, groups in (("en", given), ("zh", given["zh"])):
        for name in ("sheets", "invoices", "townspeople", "officers"):
            group, owner = groups[name], {"user": f"{language}-{name}", "collection": "alike"}
            await store(client, owner, [each["text"] for each in group])
            ranks = [await rank(client, owner, each["question"], each["text"]) for each in group]
            found, first = sum(map(bool, ranks)), ranks.count(1)
            states = count(await facts(client, owner))
            print(f"{name:12} {language}  {len(group):2}  found {found:2}, first {first:2}   {states}")


async def keywords(client: MemoryBankClient) -> None:
    """Asks short questions of small memories."""
    ranks: list[int] = []
    nothing = 0
    for number, memory in enumerate(read("keyword_questions")):
        owner: dict[str, Any] = {"user": f"keywords-{number}", "collection": "small"}
        await store(client, owner, memory["facts"])
        for question in memory["questions"]:
            answer = await client.retrieve_facts(**owner, query=question["q"])
            nothing += not answer.facts
            ranks.append(await rank(client, owner, question["q"], memory["facts"][question["fact"]]))
    among = sum(0 < place <= 3 for place in ranks)
    print(f"keyword questions  {len(ranks)}  nothing found {nothing}, among the first three {among}")


async def corrections(client: MemoryBankClient) -> None:
    """Says a few things, then takes one back, or seems to."""
    for language, sets in read("corrections").items():
        for name in ("corrections", "not"):
            retired = 0
            for number, one in enumerate(sets[name]):
                owner = {"user": f"{language}-{name}-{number}", "collection": "said"}
                await say(client, owner, [talk.Turn(input=text) for text in (*one["before"], one["text"])])
                gone = [r for r in await facts(client, owner) if r.state == long_term.RECORD_STATE_SUPERSEDED]
                retired += bool(gone)
                shown(*(f"{record.content} <= {one['text']}" for record in gone))
            print(f"{name:12} {language}  {len(sets[name])}  with a fact retired: {retired}")


async def talks(client: MemoryBankClient) -> None:
    """Tells what a long talk leaves standing of what was learned in it."""
    for language in LANGUAGES:
        owner = {"user": f"talk-{language}", "collection": "learned"}
        await say(client, owner, list(turns(read(f"talk_{language}")["turns"])))
        learned = await facts(client, owner)
        by_id = {record.record_id: record.content for record in learned}
        for record in learned:
            shown(*(f"{record.content} <> {by_id[other]}" for other in record.contested_with))
            if record.state == long_term.RECORD_STATE_SUPERSEDED:
                shown(f"{record.content} <= {by_id[record.superseded_by]}")
        print(f"talk {language}  {len(learned)} facts   {count(learned)}")


async def rereading(client: MemoryBankClient) -> None:
    """Has an agent read ten documents, as results of a tool, again and again."""
    for language in LANGUAGES:
        documents = [
            path.read_text(encoding="utf-8")
            for path in sorted((APART / "transcript_docs").glob(f"{language}_*"))
        ]
        bank_id = f"read-{language}"
        await client.create_bank(bank_id=bank_id, goal="Read and understand")
        for time in range(1, TIMES + 1):
            for number, text in enumerate(documents):
                messages = [
                    types.Message(role="assistant", text=f"I look at document {number}."),
                    types.Message(role="tool", speaker="read_page", text=text),
                ]
                await client.memorize(bank_id=bank_id, messages=messages, wait=types.WAIT_STRUCTURED)
            bank = await client.get_bank(bank_id=bank_id)
            planned = (await client.get_insight(bank_id=bank_id)).insight.pending
            counts = bank.counts
            print(
                f"read {language} {time} times  nodes {counts.nodes}, open conflicts {counts.open_conflicts}, "
                f"planned {len(planned)}"
            )


# ---- what they share ----


async def store(client: MemoryBankClient, owner: dict[str, str], texts: Sequence[str]) -> None:
    for text in texts:
        await client.store_fact(user=owner["user"], collection=owner["collection"], content=text, wait=True)


async def rank(client: MemoryBankClient, owner: dict[str, str], question: str, text: str) -> int:
    """Returns the place of a fact in the answer, from 1; 0: it is not there."""
    answer = await client.retrieve_facts(user=owner["user"], collection=owner["collection"], query=question)
    found = [one.record.content for one in answer.facts]
    return found.index(text) + 1 if text in found else 0


async def say(client: MemoryBankClient, owner: dict[str, str], said: Sequence[talk.Turn]) -> None:
    """Holds a talk to its end, and waits until all that it taught has been judged."""
    user, collection = owner["user"], owner["collection"]
    for start in range(0, len(said), 20):
        await client.add_turns(
            user=user, conversation_id="talk", collection=collection, turns=said[start : start + 20]
        )
    await client.end_conversation(user=user, conversation_id="talk", wait=True)
    while await unjudged(client, user, collection):  # noqa: ASYNC110 - a server tells when it is asked
        await asyncio.sleep(0.2)


async def unjudged(client: MemoryBankClient, user: str, collection: str) -> int:
    try:
        return (await client.get_collection(user=user, collection=collection)).counts.unjudged
    except NotFound:
        return 0  # nothing was learned


async def facts(client: MemoryBankClient, owner: dict[str, str]) -> list[long_term.Record]:
    chosen = long_term.RecordFilter(kinds=[long_term.RECORD_KIND_FACT])
    try:
        page = await client.list_records(
            user=owner["user"], collection=owner["collection"], filter=chosen, page_size=1_000
        )
    except NotFound:
        return []
    return list(page.records)


def turns(given: Sequence[dict[str, str]]) -> Iterator[talk.Turn]:
    for each in given:
        time = Timestamp()
        time.FromJsonString(each["time"].removesuffix("Z") + "Z")
        yield talk.Turn(input=each["input"], reply=each["reply"], event_time=time)


def count(records: Sequence[long_term.Record]) -> str:
    states = Counter(long_term.RecordState.Name(record.state) for record in records)
    return ", ".join(f"{n} {state.removeprefix('RECORD_STATE_').lower()}" for state, n in states.items())


def shown(*lines: str) -> None:
    if SHOW:
        print(*(f"    {line}" for line in lines), sep="\n")


PARTS = {each.__name__: each for each in (alike, keywords, corrections, talks, rereading)}


async def main() -> None:
    chosen = [PARTS[name] for name in sys.argv[1:] if name in PARTS] or list(PARTS.values())
    with TemporaryDirectory() as folder:
        async with server_process(Path(folder)) as server, server.client() as client:
            for part in chosen:
                await part(client)


if __name__ == "__main__":
    asyncio.run(main())
