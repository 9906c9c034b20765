"""What conversations learn, place, sum up and mend, over the wire, on sets written apart from the code (`apart`).

    python -m tests.bench.bench_apart_conversations [learned] [topics] [working] [mended]

learned: plain statements and traps among other turns, in twelve languages: what becomes a fact, what is found in a new
conversation at 1,000 tokens. topics: 320 turns on eight matters. working: 24 results of tools at 2,000 tokens. mended:
failed calls, and calls that are right as they are.
"""

import asyncio
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memorybank.v1 import conversation_pb2 as talk
from memorybank_client import MemoryBankClient
from memorybank_client.adapters.retry import patched
from tests.bench.bench_apart import facts
from tests.support.process import server_process

APART = Path(__file__).parent / "apart"
LANGUAGES = ("en", "zh")
MANY, FEW = 400, 130  # turns of a user in those two languages, and in others
TALKS = 10
SETTLED = 8  # seconds in which what follows from turns is done, hits are written


def read(name: str) -> Any:
    return json.loads((APART / f"{name}.json").read_text(encoding="utf-8"))


async def learned(client: MemoryBankClient) -> None:
    plain, traps, filler = (read(f"reader/{name}") for name in ("plain", "traps", "filler"))
    for language in plain:
        said = [(each["text"], "OK.") for each in (*plain[language], *traps[language])]
        chance = random.Random(7)
        while len(said) < (MANY if language in LANGUAGES else FEW):
            other = chance.choice(filler[language])
            said.append((other["user"], other["assistant"]))
        chance.shuffle(said)
        owner: dict[str, Any] = {"user": f"reader-{language}", "collection": "learned"}
        size = len(said) // TALKS + 1
        for number in range(TALKS):
            await hold(client, owner, f"talk-{number}", said[number * size : (number + 1) * size])
        kept = [core(record.content) for record in await facts(client, owner)]
        found = 0
        for each in plain[language]:
            made = await client.assemble_context(
                **owner, conversation_id="new", input=each["ask"], token_budget=1_000
            )
            found += core(each["answer"]) in core(made.prompt)
        right = sum(is_kept(each["text"], kept) for each in plain[language])
        wrong = sum(is_kept(each.get("must_not") or each["text"], kept) for each in traps[language])
        count, tried = len(plain[language]), len(traps[language])
        print(
            f"learned {language}  {right} of {count}, traps {wrong} of {tried}, found in a new one {found} of {count}"
        )


async def topics(client: MemoryBankClient) -> None:
    for language in LANGUAGES:
        given = read(f"talks/topics_{language}")
        name: dict[str, Any] = {"user": f"topics-{language}", "conversation_id": "talk"}
        turns = list(told(given["turns"]))
        for part, asked in (
            (turns[: given["change_turn"]], given["questions"]),
            (turns[given["change_turn"] :], []),
        ):
            for start in range(0, len(part), 20):
                await client.add_turns(**name, turns=part[start : start + 20])
            await asyncio.sleep(SETTLED)
            for question in asked:
                await client.assemble_context(**name, input=question, token_budget=2_000)
            await asyncio.sleep(SETTLED)
            keys = (await client.list_keys(**name, page_size=100)).keys
            print(f"topics {language}  keys: {[key.text for key in keys]}")
        clusters = (await client.list_clusters(**name, page_size=500)).clusters
        matters = dict(enumerate((turn["topic"] for turn in given["turns"]), start=1))
        pairs = [matters[a] == matters[b] for each in clusters for a, b in pairs_of(each.steps, matters)]
        chance = [
            matters[a] == matters[b] for a, b in pairs_of([s for c in clusters for s in c.steps], matters)
        ]
        alone = sum(len(each.steps) == 1 for each in clusters)
        print(
            f"topics {language}  {len(clusters)} clusters, {alone} of one turn; of pairs in one cluster "
            f"{sum(pairs) / len(pairs):.2f} share a matter (chance {sum(chance) / len(chance):.2f})"
        )
        await client.end_conversation(**name, wait=True)
        await asyncio.sleep(SETTLED)
        texts = [
            each.text.casefold() for each in (await client.list_summaries(**name, page_size=500)).summaries
        ]
        hits = sum(any(holds(text, each["key_words"]) for text in texts) for each in given["planted"])
        print(f"topics {language}  in summaries: {hits} of {len(given['planted'])} that were planted")


async def working(client: MemoryBankClient) -> None:
    for language in LANGUAGES:
        steps = read(f"talks/working_{language}")["steps"]
        user = f"working-{language}"
        run = await client.start_invocation(
            user=user,
            conversation_id="run",
            query="Find the cause.",
            enable_memory=True,
            threshold_tokens=2_000,
        )
        for number, step in enumerate(steps, start=1):
            arguments = json.dumps(step["arguments"], ensure_ascii=False)
            call = talk.Item(
                step=number, type=talk.ITEM_TYPE_ACTION, tool=step["tool"], arguments_json=arguments
            )
            result = talk.Item(
                step=number, type=talk.ITEM_TYPE_OBSERVATION, tool=step["tool"], content=step["result"]
            )
            await client.add_working_items(user=user, invocation_id=run.invocation_id, items=[call, result])
        shown = await client.get_working_memory(user=user, invocation_id=run.invocation_id)
        text = "\n".join(item.content for item in shown.items).casefold()
        hits = sum(holds(text, step["key_words"]) for step in steps)
        print(f"working {language}  {hits} of {len(steps)} results at {shown.tokens} tokens")


async def mended(client: MemoryBankClient) -> None:
    given = read("talks/recoveries")
    owner: dict[str, Any] = {"user": "mended", "collection": "tools"}
    for pair in given["pairs"]:
        await client.record_recovery(
            **owner,
            **failed(pair),
            original_json=json.dumps(pair["arguments_before"], ensure_ascii=False),
            fixed_json=json.dumps(pair["arguments_after"], ensure_ascii=False),
            success=True,
        )
    right = wrong = changed = 0
    for pair in given["pairs"]:
        made = await mending(client, owner, pair, pair["arguments_before"])
        right += made == pair["arguments_after"]
        wrong += made is not None and made != pair["arguments_after"]
    for call in given["right_calls"]:
        others = [pair for pair in given["pairs"] if pair["tool"] == call["tool"]]
        changed += any([await mending(client, owner, pair, call["arguments"]) for pair in others])
    print(
        f"mended  {right} of {len(given['pairs'])} by itself, {wrong} wrongly; "
        f"of {len(given['right_calls'])} calls that are right {changed} would be changed"
    )


# ---- what they share ----


async def hold(
    client: MemoryBankClient, owner: dict[str, str], name: str, said: Sequence[tuple[str, str]]
) -> None:
    turns = [talk.Turn(input=one, reply=other) for one, other in said]
    user, collection = owner["user"], owner["collection"]
    for start in range(0, len(turns), 5):
        await client.add_turns(
            user=user, collection=collection, conversation_id=name, turns=turns[start : start + 5]
        )
    await client.end_conversation(user=user, conversation_id=name, wait=True)


async def mending(
    client: MemoryBankClient, owner: dict[str, Any], pair: dict[str, Any], arguments: dict[str, Any]
) -> dict[str, Any] | None:
    """Returns the arguments that the first recovery makes that may be tried by itself; None: none may."""
    found = (await client.find_recoveries(**owner, **failed(pair))).recoveries
    made = (patched(arguments, each.record.recovery) for each in found)
    return next((each for each in made if each is not None), None)


def failed(pair: dict[str, Any]) -> dict[str, Any]:
    kind = pair["error"].partition(":")[0].strip()[:100]
    return {"tool": pair["tool"], "error_type": kind or "Error", "message": pair["error"]}


def told(turns: Sequence[dict[str, Any]]) -> Iterator[talk.Turn]:
    for number, each in enumerate(turns):
        turn = talk.Turn(input=each["input"], reply=each["reply"])
        turn.event_time.FromDatetime(datetime.fromisoformat(each["day"]) + timedelta(minutes=number))
        yield turn


def pairs_of(steps: Sequence[int], matters: dict[int, str]) -> Iterator[tuple[int, int]]:
    return combinations([step for step in steps if matters[step]], 2)


def holds(text: str, words: Sequence[str]) -> bool:
    return all(word.casefold() in text for word in words)


def core(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def is_kept(text: str, kept: Sequence[str]) -> bool:
    sought = core(text)
    return any(sought in each or (len(each) > 8 and each in sought) for each in kept)


PARTS = {each.__name__: each for each in (learned, topics, working, mended)}


async def main() -> None:
    chosen = [PARTS[name] for name in sys.argv[1:] if name in PARTS] or list(PARTS.values())
    with TemporaryDirectory() as folder:
        async with server_process(Path(folder)) as server, server.client() as client:
            for part in chosen:
                await part(client)


if __name__ == "__main__":
    asyncio.run(main())
