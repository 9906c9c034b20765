"""What is derived of a bank, taken down for the next load and taken up again.

Law: a snapshot only spares work. With one, with an old one, with a damaged one or without, an index says the same.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from core.aggregate.giving_way import GiveWay, InTurns, at_once, now_and_then
from core.bank.fields import node_fields
from core.bank.state import BankState
from core.ids import InteractionId, NodeId, SegmentRef
from core.index.keyword_index import KeywordIndex
from core.index.postings import WordsSnapshot, WordsTaken
from core.index.rows import VectorRows
from core.index.scoring import K
from core.index.snapshot import Blob, SnapshotUnusable, unpacked
from core.index.vector_index import LinksSnapshot, VectorIndex

if TYPE_CHECKING:
    from core.bank.bank import Bank


V = TypeVar("V")

WORDS = ("node_words", "segment_words")

Cached = Blob | WordsTaken
"""A part's snapshot, as it was kept or as far as it can be taken up before the rows are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSnapshot:
    """One of a bank's indexes as it stood at a moment. `blob`, in another thread, is what `Bank.load` takes."""

    part: str
    taken: WordsSnapshot[Any] | LinksSnapshot[Any]

    def blob(self) -> list[bytes]:
        return self.taken.blob(_name_of)


def opened(blobs: Mapping[str, bytes]) -> dict[str, Cached]:
    """Those snapshots that are whole, by part, words in their postings: for one load. Other threads run meanwhile."""
    usable: dict[str, Cached] = {}
    for part, blob in blobs.items():
        with suppress(SnapshotUnusable):
            usable[part] = WordsTaken(blob) if part in WORDS else unpacked(blob)
    return usable


def restore(
    bank: "Bank",
    vectors: VectorRows[NodeId],
    state: BankState,
    cached: Mapping[str, Cached],
    give_way: GiveWay,
) -> None:
    """Fill the indexes of a bank that has the state's nodes and interactions, from snapshots as far as they go.

    Their keys are the very ids and refs that the bank has: an equal one of its own in each index is 150 bytes a node.
    """

    def node_id(name: str) -> NodeId:
        node = bank.nodes.get(NodeId(name))
        return NodeId(name) if node is None else node.node_id

    def ref(name: str) -> SegmentRef:
        return bank.tree.order.known(ref_of(name))

    known_node, known_ref = now_and_then(node_id, give_way), now_and_then(ref, give_way)
    restore_vectors(bank.node_vectors, cached.get("node_vectors"), vectors, known_node, give_way)
    node_texts = _Texts(bank.nodes, now_and_then(node_fields, give_way))
    restore_words(bank.node_words, cached.get("node_words"), node_texts, known_node, give_way)

    made, told = state.segment_vectors or {}, bank.tree.interactions
    if not all(ref.interaction_id in told for ref in made):
        made = {ref: vector for ref, vector in made.items() if ref.interaction_id in told}
    rows = VectorRows.of(made, bank.record.space.dimension)
    rows = VectorRows(list(map(bank.tree.order.known, rows.names)), rows.matrix)
    restore_vectors(bank.segment_vectors, cached.get("segment_vectors"), rows, known_ref, give_way)
    for segment in made:
        bank.wanting_vectors.pop(segment, None)
    said = {ref: ref for interaction_id in told for ref in bank.tree.refs(interaction_id)}
    segment_texts = _Texts(said, now_and_then(lambda ref: {"text": bank.tree.line(ref)}, give_way))
    restore_words(bank.segment_words, cached.get("segment_words"), segment_texts, known_ref, give_way)


class _Texts(Mapping[K, Mapping[str, str]], Generic[K, V]):
    """The fields of documents, made when they are asked for: all at once they are a quarter of what a load takes."""

    def __init__(self, documents: Mapping[K, V], fields: Callable[[V], Mapping[str, str]]) -> None:
        self._documents, self._fields = documents, fields

    def __getitem__(self, key: K) -> Mapping[str, str]:
        return self._fields(self._documents[key])

    def get(self, key: K, default: Any = None) -> Any:
        document = self._documents.get(key)
        return default if document is None else self._fields(document)

    def __iter__(self) -> Iterator[K]:
        return iter(self._documents)

    def __len__(self) -> int:
        return len(self._documents)


def restore_words(
    index: KeywordIndex[K],
    blob: Cached | None,
    texts: Mapping[K, Mapping[str, str]],
    key_of: Callable[[str], K],
    give_way: GiveWay = at_once,
) -> None:
    """Fill an empty index with `texts`, from the snapshot as far as it goes."""
    if blob is not None:
        with suppress(SnapshotUnusable):
            index.restore(blob, key_of, texts)
    if len(index) < len(texts):  # what it has is of them
        missing = {key: texts[key] for key in texts if key not in index}
        index.put(index.prepare(InTurns(missing, give_way, 1)))


def restore_vectors(
    index: VectorIndex[K],
    blob: Cached | None,
    vectors: VectorRows[K],
    key_of: Callable[[str], K],
    give_way: GiveWay = at_once,
) -> None:
    """Fill an empty index with `vectors`, whose matrix it keeps, from the snapshot as far as it goes."""
    if not vectors:
        return
    if blob is not None and not isinstance(blob, WordsTaken):
        with suppress(SnapshotUnusable):
            index.restore(blob, key_of, vectors.names, vectors.matrix, give_way)
            return
    index.put_many(vectors.names, vectors.matrix)


def _name_of(key: NodeId | SegmentRef) -> str:
    return f"{key.interaction_id} {key.index}" if isinstance(key, SegmentRef) else key


def ref_of(name: str) -> SegmentRef:
    interaction_id, _, index = name.rpartition(" ")
    return SegmentRef(InteractionId(interaction_id), int(index))
