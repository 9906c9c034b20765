"""Conflicts that a bank opens of whole texts: long chats with an assistant, licences, manual pages.

Each text is memorized into a bank of its own by the offline agents: documents whole, chats once whole and once
exchange by exchange, a question and its answer at a time, as an agent memorizes while it talks. The chats
(`evaluation/chats.json`) tell of facts that change: a conflict is real if its quotes come from the messages before
and after one of the changes in `tests/judging/chats_changes.json`. Licences and manual pages contradict themselves
nowhere: each conflict is false.
They are read where the machine has them (`/usr/share/common-licenses`, `man`), and what is missing is named.

    python -m tests.bench.bench_conflicts [--only chats licences manuals] [--show]

A suspicion is no conflict yet: both are counted, and what has ended by itself.

`--show` prints both quotes of each that is false.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.agents.offline.agents import offline_agents
from core.ids import BankId, Tenant
from core.keys import BankKey
from core.model.conflict import Conflict, ConflictStatus
from core.usecases.bank.record import Context, Message
from core.usecases.bank.verbs.create_bank import CreateBank, create_bank
from core.usecases.bank.verbs.memorize import Memorize, memorize
from core.usecases.house import House
from evaluation.documented import read
from service.adapters.cached_embedder import CachedEmbedder
from service.adapters.local_embedder import LocalEmbedder
from tests.support.embedders import local_comparer
from tests.support.house import open_house

CHATS = Path(__file__).parent / "evaluation" / "chats.json"
CHANGES = Path(__file__).parents[1] / "judging" / "chats_changes.json"
LICENCES = Path("/usr/share/common-licenses")
MANUALS = (
    *("ls", "cp", "mv", "rm", "chmod", "chown", "dd", "df", "du", "head"),
    *("tail", "sort", "uniq", "wc", "cut", "date", "touch", "ln", "tar", "grep"),
)
ROLE = re.compile(r"\s*(?:user|assistant): ")
KINDS = ("chats", "licences", "manuals")


def told(message: Message) -> str:
    """The message's words with single spaces, as quotes are looked for."""
    return " ".join(message.text.split())


def lines(quote: str) -> list[str]:
    """A quote's sentences, as messages hold them: without the role that a transcript puts in front."""
    return [" ".join(ROLE.sub("", line).split()) for line in quote.splitlines() if line.strip()]


def is_real(
    conflict: Conflict, messages: Sequence[Message], changes: Sequence[Mapping[str, list[str]]]
) -> bool:
    """Whether two of its quotes come from before and after one of the changes."""
    sources = [
        {m.message_id for m in messages for line in lines(side.quote) if line in told(m)}
        for side in conflict.sides
    ]
    return any(
        sources[a] & set(change["before"]) and sources[b] & set(change["after"])
        for change in changes
        for a in range(len(sources))
        for b in range(len(sources))
        if a != b
    )


async def opened(house: House, name: str, contexts: Sequence[Context]) -> tuple[list[Conflict], int]:
    """The conflicts of a new bank that memorized the contexts, and how many nodes it has."""
    key = BankKey(tenant=Tenant("bench"), bank_id=BankId(name))
    await create_bank(house, CreateBank(tenant=key.tenant, bank_id=key.bank_id))
    for context in contexts:
        await memorize(house, Memorize(key=key, context=context))
    async with house.banks.reading(key) as bank:
        return list(bank.conflicts.values()), len(bank.nodes)


def told_by_status(conflicts: Sequence[Conflict]) -> str:
    """How many are open, suspected, and ended by themselves since."""
    count = Counter(one.status for one in conflicts)
    open_, suspected = count[ConflictStatus.OPEN], count[ConflictStatus.SUSPECTED]
    return f"{open_} open, {suspected} suspected, {len(conflicts) - open_ - suspected} ended"


def shown(conflicts: Sequence[Conflict]) -> None:
    """Prints the quotes of each."""
    for conflict in conflicts:
        print(f"    {conflict.status} {[side.quote[:160] for side in conflict.sides]}")


def exchanges(messages: Sequence[Message]) -> list[Context]:
    """A context for each question with its answer."""
    return [Context(messages=tuple(messages[n : n + 2])) for n in range(0, len(messages), 2)]


async def chats(house: House, show: bool) -> None:
    worlds = read(CHATS.read_text(encoding="utf-8")).worlds
    for way, cut in (("whole", lambda context: [context]), ("exchanges", lambda c: exchanges(c.messages))):
        real = total = 0
        for world in worlds:
            (context,) = world.contexts
            found, right = await chat(house, f"{way}-{world.world_id}", context, cut(context), show)
            real, total = real + right, total + found
        share = f" = {real / total:.2f}" if total else ""
        print(f"chats, {way}: {real} of {total} conflicts real{share}")


async def chat(
    house: House, name: str, context: Context, parts: Sequence[Context], show: bool
) -> tuple[int, int]:
    """How many conflicts one chat opened, and how many of them are real."""
    changes = json.loads(CHANGES.read_text(encoding="utf-8"))[name.partition("-")[2]]
    started = time.perf_counter()
    found, nodes = await opened(house, name, parts)
    right = [one for one in found if is_real(one, context.messages, changes)]
    print(
        f"  {name:<26} {len(context.messages)} messages   {nodes} nodes   {told_by_status(found)}; real {len(right)}"
        f" (changes told: {len(changes)})   {time.perf_counter() - started:.1f} s"
    )
    if show:
        shown([one for one in found if one not in right])
    return len(found), len(right)


async def without_conflicts(house: House, kind: str, texts: Iterator[tuple[str, str]], show: bool) -> None:
    """Texts that contradict themselves nowhere: how many conflicts were opened all the same."""
    all_: list[Conflict] = []
    number = 0
    for name, text in texts:
        found, nodes = await opened(house, f"{kind}-{name}", [Context(text=text)])
        print(
            f"  {name:<16} {len(text):>6} characters   {nodes:>4} nodes   {told_by_status(found)}", flush=True
        )
        if show:
            shown(found)
        all_, number = all_ + found, number + 1
    print(f"{kind}: {told_by_status(all_)} in {number} texts")


def licences() -> Iterator[tuple[str, str]]:
    """Each licence once: other names that link to one are left out."""
    paths = sorted(LICENCES.iterdir()) if LICENCES.is_dir() else []
    for path in paths:
        if path.is_file() and not path.is_symlink():
            yield path.name, path.read_text(encoding="utf-8", errors="replace")


def manuals() -> Iterator[tuple[str, str]]:
    """Each page as a terminal shows it."""
    plain = {**os.environ, "MANWIDTH": "80", "MANPAGER": "cat", "LC_ALL": "C.UTF-8"}
    for name in MANUALS:
        page = subprocess.run(
            ["man", "--locale=C", "1", name], env=plain, capture_output=True, text=True, check=False
        )
        if page.returncode:
            print(f"  {name:<16} no page on this machine")
        else:
            yield name, page.stdout


async def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    asked.add_argument("--show", action="store_true")
    given = asked.parse_args()
    embedder = CachedEmbedder(LocalEmbedder.open(), passages=8192)
    async with open_house(embedder=embedder, agents=offline_agents(embedder, local_comparer())) as house:
        if "chats" in given.only:
            await chats(house, given.show)
        if "licences" in given.only:
            await without_conflicts(house, "licences", licences(), given.show)
        if "manuals" in given.only:
            await without_conflicts(house, "manuals", manuals(), given.show)


if __name__ == "__main__":
    asyncio.run(main())
