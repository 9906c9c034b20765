"""Reading a user's files: what stands on their lines, checked against what came before, as drafts of aggregates.

Law: pure. What is drafted could have come about by calls: every step, id and name that something refers to is there,
once; counts and sizes are those of what came. A line that does not fit raises ImportInvalid with its number.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, TypeVar

from core.conversation.invocation import ItemsAdd, RunningPut
from core.conversation.steps import (
    ConversationPut,
    HitsPut,
    InvocationPut,
    KeyPut,
    MidPut,
    SummaryPut,
    TurnAdd,
    TurnMetadataPut,
)
from core.conversation.working import tokens_of
from core.errors import ImportInvalid
from core.instructions.steps import InstructionsPut, SourcePut
from core.keys import ConversationKey, Key, UserKey
from core.long_term.metadata import with_metadata_apart
from core.long_term.steps import (
    CollectionPut,
    FeedbackPut,
    ProposalPut,
    RecordDrop,
    RecordPut,
    ReflectionPut,
    UsesPut,
)
from core.model.collection import Feedback
from core.model.conversation import ConversationRecord, KeyMemory, Summary, Turn, TurnMetadata
from core.model.expiry import expiry_after
from core.model.instructions import InstructionsRecord, Level, Owner, Source
from core.model.invocation import InvocationSummary, Item
from core.usecases.conversation.verbs.add_turns import RESUME_AFTER
from core.usecases.conversation.verbs.list_turns import PlacedTurn
from core.usecases.limits import Limits
from core.usecases.long_term.exchange.export_collection import FilePart
from core.usecases.long_term.exchange.import_collection import standing
from core.usecases.long_term.exchange.parsing import contents_of
from core.usecases.long_term.writing import characters
from core.usecases.whole_user.user_lines import (
    CollectionRead,
    HitCluster,
    OwnedSource,
    Piece,
    Progress,
    ReadLine,
    Running,
    TombstoneLine,
    UserRead,
)

V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Founding:
    """An aggregate to be made: its steps, the record's first, and the revision it goes on from."""

    key: Key
    steps: tuple[Any, ...]
    revision: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What the makers of foundings need of the service."""

    key: UserKey
    limits: Limits
    now: datetime
    new_id: Callable[[str], str]
    resume_after: timedelta
    kept_for: timedelta  # a superseded version of a source
    idle: timedelta  # after which an invocation is ended


@dataclass(slots=True, kw_only=True)
class _File:
    """The lines of one file as they came, and what belongs to them: the parts of a collection are one."""

    lines: list[ReadLine] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


class UserLines:
    """Gathers a user's files but for banks."""

    def __init__(self, making: Making) -> None:
        self._making = making
        self._files: dict[str, _File] = {}
        self.user: UserRead | None = None

    def take(self, piece: Piece) -> None:
        """Takes the next line or file. Raises ImportInvalid."""
        folder, _, rest = piece.path.partition("/")
        if folder == "collections":
            number, _, rest = rest.partition("/")
            place = self._files.setdefault(f"{folder}/{number}", _File())
        else:
            place = self._files.setdefault(piece.path, _File())
        if isinstance(piece, FilePart):
            place.texts[rest] = place.texts.get(rest, "") + piece.content
        elif isinstance(piece.value, UserRead):
            self.user = piece.value
        else:
            place.lines.append(piece)

    def foundings(self) -> Iterator[Founding]:
        """Yields what is to be made, in the order in which it is: collections before conversations, which teach them.
        Raises ImportInvalid, LimitReached."""
        made: dict[Key, Founding] = {}
        for prefix, make in (
            ("instructions", _instructions),
            ("collections/", _collection),
            ("conversations/", _conversation),
            ("invocations/", _invocation),
        ):
            for path, file in self._files.items():
                if not path.startswith(prefix):
                    continue
                founding = self._placed(_named(path, make, file, self._making), made)
                if founding.key in made:
                    raise ImportInvalid(0, f"there are two of the {founding.key.kind} {founding.key.name}")
                made[founding.key] = founding
                yield founding
        count = Counter(key.kind for key in made)
        self._making.limits.check_user(count["collection"], count["conversation"], count["invocation"])

    def _placed(self, founding: Founding, made: Mapping[Key, Founding]) -> Founding:
        """Returns an invocation as one of the conversation that is made here; what else is made stays as it is."""
        put = founding.steps[0]
        if not isinstance(put, RunningPut) or not put.record.conversation_id:
            return founding
        key = ConversationKey(
            tenant=founding.key.tenant, user=self._making.key.user, conversation_id=put.record.conversation_id
        )
        uid = made[key].steps[0].record.uid if key in made else ""
        record = replace(put.record, conversation_uid=uid)
        return replace(founding, steps=(RunningPut(record=record), *founding.steps[1:]))


def _named(path: str, make: Callable[[_File, Making], Founding], file: _File, making: Making) -> Founding:
    """Makes a founding; what is wrong is said of its file."""
    try:
        return make(file, making)
    except ImportInvalid as invalid:
        raise ImportInvalid(invalid.line, f"{path}: {invalid.problem}") from None


# ---- instructions ----


def _instructions(file: _File, making: Making) -> Founding:
    owner = Owner(level=Level.USER, name=making.key.user)
    versions = _by(_lines(file, OwnedSource), lambda each: (each.source.path, each.source.version))
    firsts: dict[str, int] = {}
    for path, version in versions:
        firsts[path] = min(version, firsts.get(path, version))
    making.limits.check_sources(len(firsts))
    sources = [_first(each.source, firsts[each.source.path]) for _, each in sorted(versions.items())]
    for source in sources:
        making.limits.check_source(source.characters)
    record = InstructionsRecord(
        key=owner.key(making.key.tenant),
        uid=making.new_id("u"),
        create_time=min((source.create_time for source in sources), default=making.now),
        user=making.key.user,
        last_version=max(firsts.values(), default=1) - 1,
        due_time=making.now + making.kept_for if len(sources) > len(firsts) else None,
    )
    steps = (InstructionsPut(record=record), *(SourcePut(source=source) for source in sources))
    return Founding(key=record.key, steps=steps)


def _first(source: Source, version: int) -> Source:
    return replace(source, first_version=version)


# ---- collections ----


def _collection(file: _File, making: Making) -> Founding:
    described = _the_one(file, CollectionRead, "collection.json")
    contents = contents_of(file.texts, making.now)
    there = {record.record_id for record in contents.records}
    stones = _by(_lines(file, TombstoneLine), lambda each: each.tombstone.record_id)
    feedback = _by(_lines(file, Feedback), lambda each: each.feedback_id)
    salts = {stone.salt for stone in stones.values()}
    if len(salts) > 1:
        raise ImportInvalid(1, "tombstones have one salt")
    making.limits.check_records(len(contents.all_records), sum(map(characters, contents.all_records)))
    making.limits.check_reflections(len(contents.reflections))
    making.limits.check_feedback(len(feedback), len(stones))
    revision = described.revision
    record = replace(
        described.record,
        uid=making.new_id("u"),
        salt=next(iter(salts), making.new_id("salt")),
        settings_revision=revision,
        due_time=making.now + making.resume_after,
    )
    steps = (
        CollectionPut(record=record),
        *(RecordPut(record=standing(each, there, revision)) for each in contents.records),
        *(
            ProposalPut(
                proposal=replace(each, record=replace(each.record, awaits_review=True, revision=revision))
            )
            for each in contents.proposals
        ),
        *(UsesPut(record_id=key, uses=uses) for key, uses in contents.uses.items()),
        *(ReflectionPut(reflection=replace(each, revision=revision)) for each in contents.reflections),
        *(FeedbackPut(feedback=each) for each in feedback.values()),
        *(
            RecordDrop(record_id=key, tombstone=each.tombstone)
            for key, each in stones.items()
            if key not in there
        ),
    )
    return Founding(key=record.key, steps=with_metadata_apart({}, steps), revision=revision)


# ---- conversations ----


def _conversation(file: _File, making: Making) -> Founding:
    given = _the_one(file, ConversationRecord, "conversation")
    placed = _by(_lines(file, PlacedTurn), lambda each: each.turn.step)
    for one, other in pairwise(_lines(file, PlacedTurn)):
        if one.value.turn.step > other.value.turn.step:  # type: ignore[union-attr]  # they are turns
            raise ImportInvalid(other.line, "turns come in the order of their steps")
    last_step = max(given.last_step, *placed, 0)
    progress = next(iter(_each(file, Progress)), Progress(placed_to=last_step, summarised_to=last_step))
    unstated = set(progress.unstated)
    turns = {step: replace(each.turn, stated=step not in unstated) for step, each in placed.items()}
    record = replace(
        given,
        uid=making.new_id("u"),
        turn_count=len(turns),
        last_step=last_step,
        text_bytes=sum(turn.text_bytes for turn in turns.values()),
        metadata_bytes=sum(turn.metadata_bytes for turn in turns.values()),
        placed_to=min(progress.placed_to, last_step),
        summarised_to=min(progress.summarised_to, last_step),
        extracted_to=min(given.extracted_to, last_step),
        attempts=progress.attempts,
        anew=tuple(step for step in progress.anew if step in turns),
        owed=progress.owed,
        forgetting=progress.forgetting,
        generation=max((owed.number for owed in progress.forgetting), default=0),  # later ones are others
        taught=progress.taught,
        due_time=making.now + RESUME_AFTER,
        purge_time=expiry_after(given.last_turn_time or given.create_time, given.ttl),
    )
    making.limits.check_conversation(record)
    keys = _by(_lines(file, KeyMemory), lambda each: each.key_id)
    invocations = _by(_lines(file, InvocationSummary), lambda each: each.invocation_id)
    steps = (
        ConversationPut(record=record),
        *(TurnAdd(turn=turn) for turn in turns.values()),
        *(
            TurnMetadataPut(step=step, metadata=TurnMetadata(metadata_json=each.metadata_json))
            for step, each in placed.items()
            if each.metadata_json
        ),
        *_clusters(file, turns),
        *(
            SummaryPut(summary=each)
            for each in _by(_lines(file, Summary), lambda one: one.summary_id).values()
        ),
        *(KeyPut(key=replace(each, seen_to=progress.seen_to.get(key, 0))) for key, each in keys.items()),
        *(
            InvocationPut(summary=replace(each, actions=progress.actions.get(key, 0)))
            for key, each in invocations.items()
        ),
    )
    revision = max(record.edited_at, *(each.revision for each in keys.values()), 1)
    return Founding(key=record.key, steps=steps, revision=revision)


def _clusters(file: _File, turns: Mapping[int, Turn]) -> Iterable[MidPut | HitsPut]:
    """Yields the steps that make clusters, whose turns are there, each in one of them."""
    placed: set[int] = set()
    names: set[str] = set()
    for line in _lines(file, HitCluster):
        cluster, hits = line.value.cluster, line.value.hits  # type: ignore[union-attr]  # it is a HitCluster
        steps = set(cluster.steps)
        if not steps or list(cluster.steps) != sorted(steps) or not turns.keys() >= steps:
            raise ImportInvalid(line.line, "cluster.steps must name turns that are there, in their order")
        if placed & steps or cluster.cluster_id in names:
            raise ImportInvalid(line.line, "a cluster, or a turn in one, stands there twice")
        placed |= steps
        names.add(cluster.cluster_id)
        yield MidPut(cluster=cluster)
        if hits is not None:
            yield HitsPut(hits=hits)


# ---- invocations ----


def _invocation(file: _File, making: Making) -> Founding:
    given = _the_one(file, InvocationSummary, "invocation")
    running = _the_one(file, Running, "line `running`")
    items = tuple(_each(file, Item))
    if [item.number for item in items] != list(range(1, len(items) + 1)):
        raise ImportInvalid(1, "items are numbered from 1")
    if any(one.step > other.step for one, other in pairwise(items)):
        raise ImportInvalid(1, "steps of items never go back")
    record = replace(
        running.record,
        key=replace(running.record.key, invocation_id=given.invocation_id),
        uid=making.new_id("u"),
        query=given.query,
        create_time=given.event_time,
        due_time=making.now + making.idle,
        item_count=len(items),
        last_step=items[-1].step if items else 0,
        text_bytes=sum(item.text_bytes for item in items),
        tokens=tokens_of(items),
    )
    making.limits.check_working(record)
    steps = (RunningPut(record=record), *((ItemsAdd(items=items),) if items else ()))
    return Founding(key=record.key, steps=steps)


# ---- what they share ----


def _lines(file: _File, kind: type[Any]) -> list[ReadLine]:
    return [line for line in file.lines if isinstance(line.value, kind)]


def _each(file: _File, kind: type[V]) -> list[V]:
    return [line.value for line in file.lines if isinstance(line.value, kind)]


def _the_one(file: _File, kind: type[V], name: str) -> V:
    """Returns what a file has once. Raises ImportInvalid."""
    found = _lines(file, kind)
    if len(found) != 1:
        raise ImportInvalid(found[1].line if found else 0, f"there must be one {name}, not {len(found)}")
    value: V = found[0].value  # type: ignore[assignment]  # of the kind that was asked for
    return value


def _by(lines: Iterable[ReadLine], name: Callable[[Any], Any]) -> dict[Any, Any]:
    """Returns values by their name. Raises ImportInvalid for two of a name."""
    found: dict[Any, Any] = {}
    for each in lines:
        if (key := name(each.value)) in found:
            raise ImportInvalid(each.line, f"{key} stands there twice")
        found[key] = each.value
    return found
