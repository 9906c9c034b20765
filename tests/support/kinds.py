"""Small aggregates of every kind kept by parts: how one begins, goes on and loses content."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from core.aggregate.aggregate import Tuning
from core.aggregate.change import Change
from core.aggregate.kind import Kind
from core.conversation.invocation import INVOCATION, ItemsAdd, RunningPut
from core.conversation.kind import CONVERSATION
from core.conversation.steps import ConversationPut, KeyPut, TurnAdd, TurnDrop
from core.ids import (
    ChangeId,
    Collection,
    ConversationId,
    InvocationId,
    RecordId,
    RequestId,
    RunId,
    Tenant,
    User,
)
from core.instructions.kind import INSTRUCTIONS, RUN
from core.instructions.steps import InstructionsPut, RunPut, SourcePut, VersionsDrop
from core.keys import CollectionKey, ConversationKey, InvocationKey, Key, RunKey, UserKey
from core.long_term.kind import COLLECTION
from core.long_term.steps import CollectionPut, ProposalDrop, ProposalPut, RecordDrop, RecordPut, UsesPut
from core.model.collection import CollectionRecord, Tombstone
from core.model.conversation import ConversationRecord, KeyMemory, KeyType, Turn
from core.model.instructions import InstructionsRecord, Level, Owner, Pin, RunRecord, Source, SourceRef
from core.model.invocation import InvocationRecord, InvocationState, Item, ItemType
from core.model.record import Record, RecordKind, Uses
from core.model.request import RequestRecord
from core.model.review import Proposal
from core.model.user import UserRecord
from core.ports.store import Store
from core.user.steps import UserPut
from core.user.user import USER

TENANT, OTHER = Tenant("acme"), Tenant("zeta")
NOW = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
USERS = ("ada", "王/明", "a%2Fb")
SECRET = "秘密的花园 secret garden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One kind. `begins` tells SECRET in the `item` of `part`, which `loses` drops; without a `part`, none is ever
    dropped. `due`: the record's field that says when it is to be looked after. `counts`: the items that are left, by
    part, after an aggregate has begun, gone on and lost."""

    kind: Kind[Any, Any]
    key: Callable[[Tenant, str], Key]
    record: Callable[..., Any]
    begins: Callable[[Any], tuple[Any, ...]]
    goes_on: Callable[[Any], tuple[Any, ...]]
    loses: Callable[[Any], tuple[Any, ...]]
    due: str = "due_time"
    part: str = ""
    item: str = ""
    counts: dict[str, int]


def _user_key(tenant: Tenant, user: str) -> UserKey:
    return UserKey(tenant=tenant, user=User(user))


def _run_key(tenant: Tenant, user: str) -> RunKey:
    return RunKey(tenant=tenant, user=User(user), run_id=RunId("r-1"))


def _collection_key(tenant: Tenant, user: str) -> CollectionKey:
    return CollectionKey(tenant=tenant, user=User(user), collection=Collection("工作/work"))


def _conversation_key(tenant: Tenant, user: str) -> ConversationKey:
    return ConversationKey(tenant=tenant, user=User(user), conversation_id=ConversationId("c-1"))


def _invocation_key(tenant: Tenant, user: str) -> InvocationKey:
    return InvocationKey(tenant=tenant, user=User(user), invocation_id=InvocationId("i-1"))


def _instructions_key(tenant: Tenant, user: str) -> Any:
    return Owner(level=Level.USER, name=user).key(tenant)


def _user_record(tenant: Tenant, user: str, uid: str, **more: Any) -> UserRecord:
    key = _user_key(tenant, user)
    return UserRecord(key=key, uid=uid, user=key.user, create_time=NOW, update_time=NOW, **more)


def _run_record(tenant: Tenant, user: str, uid: str, **more: Any) -> RunRecord:
    times = {"run_time": NOW, "expire_time": NOW + 7 * DAY, "purge_time": NOW + 14 * DAY} | more
    return RunRecord(key=_run_key(tenant, user), uid=uid, create_time=NOW, user=user, **times)


def _collection_record(tenant: Tenant, user: str, uid: str, **more: Any) -> CollectionRecord:
    key = _collection_key(tenant, user)
    return CollectionRecord(
        key=key,
        uid=uid,
        user=user,
        collection=key.collection,
        salt="s",
        create_time=NOW,
        update_time=NOW,
        **more,
    )


def _conversation_record(tenant: Tenant, user: str, uid: str, **more: Any) -> ConversationRecord:
    key = _conversation_key(tenant, user)
    return ConversationRecord(
        key=key,
        uid=uid,
        user=key.user,
        collection=Collection("工作/work"),
        create_time=NOW,
        update_time=NOW,
        **more,
    )


def _invocation_record(tenant: Tenant, user: str, uid: str, **more: Any) -> InvocationRecord:
    key = _invocation_key(tenant, user)
    fields: dict[str, Any] = {"due_time": NOW + DAY} | more
    return InvocationRecord(
        key=key,
        uid=uid,
        user=key.user,
        collection=Collection("工作/work"),
        conversation_id=ConversationId("c-1"),
        conversation_uid="u-c",
        query="船几点开?",
        threshold=2_000,
        keep_steps=4,
        create_time=NOW,
        **fields,
    )


def _instructions_record(tenant: Tenant, user: str, uid: str, **more: Any) -> InstructionsRecord:
    key = _instructions_key(tenant, user)
    return InstructionsRecord(key=key, uid=uid, create_time=NOW, user=user, **more)


def _source(path: str, text: str, version: int = 1) -> Source:
    return Source(
        path=path,
        text=text,
        version=version,
        first_version=1,
        characters=len(text),
        tokens=1,
        create_time=NOW,
        update_time=NOW + version * DAY,
        update_by="ada",
    )


def _pin(path: str, version: int) -> Pin:
    ref = SourceRef(owner=Owner(level=Level.USER, name="王/明"), path=path)
    return Pin(ref=ref, uid="u-1", revision=7, versions={path: version})


def _turn(step: int, text: str) -> Turn:
    return Turn(step=step, input=text, reply="好的。", event_time=NOW, create_time=NOW)


def _item(number: int, content: str) -> Item:
    return Item(number=number, step=number, type=ItemType.THOUGHT, content=content, event_time=NOW)


def _fact(name: str, content: str) -> Record:
    return Record(
        record_id=RecordId(name),
        kind=RecordKind.FACT,
        category="life",
        content=content,
        confidence=0.8,
        event_time=NOW,
        create_time=NOW,
        update_time=NOW,
        valid_from=NOW,
    )


CASES = {
    "user": Case(
        kind=USER,
        key=_user_key,
        record=_user_record,
        begins=lambda record: (UserPut(record=record),),
        goes_on=lambda record: (UserPut(record=replace(record, retention=DAY)),),
        loses=lambda record: (UserPut(record=replace(record, retention=2 * DAY)),),
        counts={},
    ),
    "instructions": Case(
        kind=INSTRUCTIONS,
        key=_instructions_key,
        record=_instructions_record,
        begins=lambda record: (InstructionsPut(record=record), SourcePut(source=_source("规则.md", SECRET))),
        goes_on=lambda record: (
            SourcePut(source=_source("规则.md", "二", 2)),
            SourcePut(source=_source("a/../b.md", "x")),
            InstructionsPut(record=replace(record, last_version=3)),
        ),
        loses=lambda record: (VersionsDrop(path="规则.md", versions=(1, 9)),),
        part="versions",
        item="规则.md/000000000001",
        counts={"versions": 2},
    ),
    "run": Case(
        kind=RUN,
        key=_run_key,
        record=_run_record,
        begins=lambda record: (RunPut(record=replace(record, pins=(_pin(SECRET, 1),))),),
        goes_on=lambda record: (RunPut(record=replace(record, pins=(_pin(SECRET, 1), _pin("b.md", 1)))),),
        loses=lambda record: (RunPut(record=replace(record, pins=())),),
        due="purge_time",
        counts={},
    ),
    "collection": Case(
        kind=COLLECTION,
        key=_collection_key,
        record=_collection_record,
        begins=lambda record: (CollectionPut(record=record), RecordPut(record=_fact("r1", SECRET))),
        goes_on=lambda record: (
            RecordPut(record=_fact("r2", "船九点开。")),
            UsesPut(record_id=RecordId("r1"), uses=Uses(count=3, last_time=NOW)),
            ProposalPut(proposal=Proposal(record=_fact("p1", "待审的事。"), supersedes=(RecordId("r2"),))),
            ProposalPut(proposal=Proposal(record=_fact("p2", "Also waits."))),
            ProposalDrop(record_id=RecordId("p2")),
        ),
        loses=lambda record: (
            RecordDrop(
                record_id=RecordId("r1"),
                tombstone=Tombstone(record_id=RecordId("r1"), text_hash="h", term_hashes=("t",), time=NOW),
            ),
        ),
        part="records",
        item="r1",
        counts={"records": 1, "tombstones": 1, "proposals": 1},
    ),
    "invocation": Case(
        kind=INVOCATION,
        key=_invocation_key,
        record=_invocation_record,
        begins=lambda record: (RunningPut(record=record), ItemsAdd(items=(_item(1, "想一想。"),))),
        goes_on=lambda record: (
            ItemsAdd(items=(_item(2, "Look at the timetable."), _item(3, "九点。"))),
            RunningPut(record=replace(record, item_count=3, last_step=3)),
        ),
        loses=lambda record: (RunningPut(record=replace(record, state=InvocationState.ENDING)),),
        counts={"items": 3},
    ),
    "conversation": Case(
        kind=CONVERSATION,
        key=_conversation_key,
        record=_conversation_record,
        begins=lambda record: (ConversationPut(record=record), TurnAdd(turn=_turn(1, SECRET))),
        goes_on=lambda record: (
            TurnAdd(turn=_turn(2, "When does the ferry leave?")),
            KeyPut(
                key=KeyMemory(
                    key_id="k1", type=KeyType.USER, text="短", create_time=NOW, update_time=NOW, revision=2
                )
            ),
            ConversationPut(record=replace(record, last_step=2, turn_count=2)),
        ),
        loses=lambda record: (TurnDrop(step=1),),
        part="turns",
        item="000000000001",
        counts={"turns": 1, "keys": 1},
    ),
}


class Story:
    """The changes of one aggregate, one after another."""

    def __init__(
        self,
        case: Case,
        tenant: Tenant = TENANT,
        user: str = "ada",
        uid: str = "u-1",
        due: datetime | None = None,
        first: int = 1,
    ) -> None:
        """`first`: the revision that it begins at."""
        self.case, self.uid, self._first = case, uid, first
        self.record = case.record(tenant, user, uid, **({case.due: due} if due else {}))
        self.key: Key = self.record.key
        self.changes: list[Change[Any]] = []
        self.change(case.begins(self.record))

    def change(self, steps: tuple[Any, ...], *requests: RequestRecord) -> Change[Any]:
        made = self.fork(steps, *requests)
        self.changes.append(made)
        return made

    def fork(self, steps: tuple[Any, ...], *requests: RequestRecord) -> Change[Any]:
        """What could follow, told by nobody else."""
        revision = self._first + len(self.changes)
        return Change(
            change_id=ChangeId(f"{self.key.kind}-{self.key.name}-{self.uid}-{revision}-{id(steps)}"),
            parent=self.changes[-1].change_id if self.changes else None,
            revision=revision,
            time=NOW + revision * timedelta(minutes=1),
            steps=steps,
            requests=requests,
        )

    def held(self) -> Any:
        """The aggregate as one that lived through it has it."""
        made = self.case.kind.found(self.changes[0], self.uid, Tuning())
        for change in self.changes[1:]:
            made.apply(change)
        return made


async def told(store: Store, story: Story) -> Story:
    for change in story.changes:
        await store.append(story.key, story.uid, [change])
    return story


async def whole(store: Store, case: Case, user: str = "ada") -> Story:
    story = Story(case, user=user)
    story.change(case.goes_on(story.record))
    story.change(case.loses(story.record))
    return await told(store, story)


def asked(name: str, time: datetime = NOW) -> RequestRecord:
    return RequestRecord(
        request_id=RequestId(name), verb="V", digest="d", create_time=time, answer=b"{}", revision=2
    )
