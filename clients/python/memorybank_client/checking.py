"""Expectations held against a memory: what came instead, where one does not hold.

Law: it only looks. No call that it makes counts a use or changes a memory.
"""

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank.v1 import types_pb2 as types
from memorybank_client.client import SyncMemoryBankClient
from memorybank_client.errors import MemoryBankError, Unavailable
from memorybank_client.expectations import Expectation

TARGETS: Final = {
    "nodes": retrieval.SEARCH_TARGET_NODES,
    "segments": retrieval.SEARCH_TARGET_SEGMENTS,
    "both": retrieval.SEARCH_TARGET_BOTH,
}
HANDLE: Final = re.compile(r"^\s*(?:- )?\[([0-9a-z]{5,26})\]", re.MULTILINE)
PAGE = 1_000
SHOWN = 3  # of what came instead
NAMED = 8  # ids of what came instead
GLIMPSE = 160  # code points of each


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an expectation: it holds where `problems` is empty. `refused`: the call itself failed."""

    expectation: Expectation
    problems: tuple[str, ...]
    refused: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class _Piece:
    """Something that came: a hit, a fact, a line of a prompt. `ids` is empty for what has none."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What a call brought, in order. `ids` are those of what stands there; `whole` is a prompt."""

    pieces: Sequence[_Piece]
    ids: Sequence[str]
    whole: str = ""
    tokens: int = 0
    missing: tuple[str, ...] = ()


class Checker:
    """Holds expectations against one memory. Open conflicts are read once, when they are first asked for."""

    def __init__(self, client: SyncMemoryBankClient) -> None:
        self._client = client
        self._disputes: dict[tuple[str, ...], list[_Piece]] = {}

    def check(self, expected: Expectation) -> Outcome:
        """Makes the call and compares. A refused call is a problem; raises Unavailable where nothing answers."""
        started, refused = time.monotonic(), False
        try:
            problems = tuple(self._problems(expected))
        except MemoryBankError as error:
            if isinstance(error, Unavailable) and not error.reason:
                raise
            problems, refused = (f"refused: {error.message}",), True
        seconds = time.monotonic() - started
        return Outcome(expectation=expected, problems=problems, refused=refused, seconds=seconds)

    def _problems(self, expected: Expectation) -> Iterator[str]:
        came = getattr(self, f"_{expected.call}")(expected)
        yield from came.missing
        within = expected.within or len(came.pieces)
        pieces = came.pieces[:within]
        for words in expected.words:
            if not any(_holds(text, words) for text in (came.whole, *(piece.text for piece in pieces))):
                yield f"words: “{words}” is not there; {_instead(pieces, words)}"
        for words in expected.absent:
            found = [piece for piece in pieces if _holds(piece.text, words)]
            if found or _holds(came.whole, words):
                yield f"not: “{words}” is there:{_drawn(found[:SHOWN])}"
        ids = came.ids if expected.within is None else [each for piece in pieces for each in piece.ids]
        for wanted in expected.ids:
            if not _stands(wanted, ids, came.whole):
                instead = dict.fromkeys(each for each in ids if "-" in each or each.isdecimal())
                yield f"ids: {wanted} is not there; came instead: {', '.join([*instead][:NAMED]) or 'nothing'}"
        if expected.tokens is not None and came.tokens > expected.tokens:
            yield f"tokens: at most {expected.tokens:,} were to be taken; {came.tokens:,} are"
        for matter in expected.no_conflict:
            about = [each for each in self._open(expected) if _holds(each.text, matter)]
            if about:
                yield f"no_conflict: open about “{matter}”:{_drawn(about[:SHOWN])}"

    # ---- calls, by name ----

    def _search(self, expected: Expectation) -> _Answer:
        found = self._client.search(
            bank_id=expected.places["bank"],
            text=expected.query,
            target=TARGETS[expected.places.get("target", "both")],
            top_k=expected.within,
            hops=0,
        )
        pieces = [_hit(each) for each in found.hits]
        return _Answer(pieces=pieces, ids=[each for piece in pieces for each in piece.ids])

    def _augment(self, expected: Expectation) -> _Answer:
        made = self._client.augment(
            bank_id=expected.places["bank"],
            query=expected.query,
            token_budget=expected.places.get("budget"),
            tools_apart=True,
        )
        return _prompt(made.prompt, made.sections, made.tokens, expected.query)

    def _context(self, expected: Expectation) -> _Answer:
        places = expected.places
        collection = places.get("collection")
        owned = collection is not None or places.get("conversation")
        made = self._client.assemble_context(
            input=expected.query,
            user=places["user"] if owned else "",
            bank_id=places.get("bank", ""),
            conversation_id=places.get("conversation", ""),
            collection=collection,
            token_budget=places.get("budget"),
            observe=True,
        )
        missing = tuple(
            f"missing: {retrieval.ContextPart.Name(each.part).removeprefix('CONTEXT_PART_').lower()} ({each.reason})"
            for each in made.missing
        )
        return _prompt(made.prompt, made.sections, made.tokens, expected.query, missing)

    def _facts(self, expected: Expectation) -> _Answer:
        user, collection = expected.places["user"], expected.places.get("collection", "")
        found = self._client.retrieve_facts(
            user=user, collection=collection, query=expected.query, top_k=expected.within, observe=True
        )
        pieces = [_Piece(each.record.content, (each.record.record_id,)) for each in found.facts]
        missing = () if found.revision else (f"missing: {user} has no collection {collection!r}",)
        return _Answer(pieces=pieces, ids=[piece.ids[0] for piece in pieces], missing=missing)

    # ---- what is open ----

    def _open(self, expected: Expectation) -> list[_Piece]:
        """Returns the open conflicts of the bank, and the contested facts of the collection, that an entry names."""
        places = expected.places
        found: list[_Piece] = []
        if bank := places.get("bank"):
            found += self._once(("bank", bank), lambda: self._conflicts(bank))
        if "user" in places and ("collection" in places or expected.call == "facts"):
            owner = (places["user"], places.get("collection", ""))
            found += self._once(("collection", *owner), lambda: self._contested(*owner))
        return found

    def _once(self, key: tuple[str, ...], read: Any) -> list[_Piece]:
        if key not in self._disputes:
            self._disputes[key] = list(read())
        return self._disputes[key]

    def _conflicts(self, bank: str) -> Iterator[_Piece]:
        token = ""
        while True:
            page = self._client.list_conflicts(bank_id=bank, page_size=PAGE, page_token=token)
            for each in page.conflicts:
                said = [each.description, *(side.quote for side in each.sides)]
                yield _Piece("\n".join(said), (each.conflict_id,))
            if not (token := page.next_page_token):
                return

    def _contested(self, user: str, collection: str) -> Iterator[_Piece]:
        token, only = "", long_term.RecordFilter(states=[long_term.RECORD_STATE_CONTESTED])
        while True:
            page = self._client.list_records(
                user=user, collection=collection, filter=only, page_size=PAGE, page_token=token
            )
            yield from (_Piece(each.content, (each.record_id,)) for each in page.records)
            if not (token := page.next_page_token):
                return


def _hit(hit: types.SearchHit) -> _Piece:
    if hit.HasField("node"):
        return _Piece(f"{hit.node.context}\n{hit.node.summary}", (hit.node.node_id,))
    place = f"{hit.segment.interaction_id}#{hit.segment.index}"
    return _Piece(hit.segment.text, (place, hit.segment.interaction_id, *hit.segment.node_ids))


def _prompt(
    prompt: str, sections: Iterable[types.Section], tokens: int, query: str, missing: tuple[str, ...] = ()
) -> _Answer:
    """Makes an answer of a prompt: its lines, and it as a whole, without the query that it ends with."""
    said = prompt[: prompt.rfind(query)] if query in prompt else prompt
    ids = [
        item_id
        for section in sections
        for item in section.items
        for item_id in (item.id, *(copy.id for copy in item.copies))
        if item_id
    ]
    pieces = [_Piece(line) for line in said.splitlines() if line.strip()]
    return _Answer(pieces=pieces, ids=ids, whole=said, tokens=tokens, missing=missing)


def _stands(wanted: str, ids: Sequence[str], whole: str) -> bool:
    """Checks for an id: of a node in a prompt by its handle, of an interaction by one of its segments."""
    if wanted in ids or any(each.startswith(f"{wanted}#") for each in ids):
        return True
    return any(wanted.endswith(handle) for handle in HANDLE.findall(whole))


def _instead(pieces: Sequence[_Piece], wanted: str) -> str:
    """Says what came that is nearest to the words wanted, by the pairs of characters that they share."""
    pairs = _pairs(wanted)
    nearest = sorted(pieces, key=lambda piece: -len(pairs & _pairs(piece.text)) / (1 + len(pairs)))
    return f"nearest of what came:{_drawn(nearest[:SHOWN])}" if nearest else "nothing came"


def _drawn(pieces: Iterable[_Piece]) -> str:
    lines = []
    for piece in pieces:
        text = " ".join(piece.text.split())
        cut = text if len(text) <= GLIMPSE else f"{text[:GLIMPSE]}…"
        lines.append(f"\n  {piece.ids[0]}  {cut}" if piece.ids else f"\n  {cut}")
    return "".join(lines)


def _holds(text: str, words: str) -> bool:
    return _folded(words) in _folded(text)


def _folded(text: str) -> str:
    """Folds what makes no difference to a reader: case, width of characters, white space."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().casefold()


def _pairs(text: str) -> set[str]:
    folded = _folded(text)
    return {folded[at : at + 2] for at in range(len(folded) - 1)}
