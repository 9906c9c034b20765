"""Answers of MemoryBank. `kept`: how long a finished bank stays that does not say itself."""

from dataclasses import replace
from datetime import timedelta

from core.model.bank import BankRecord
from core.model.insight import Insight
from core.ports.aggregates import CommitResult
from core.usecases.bank.verbs.create_bank import BankMade
from core.usecases.bank.verbs.delete_bank import BankPurged
from core.usecases.bank.verbs.get_bank import BankSeen
from core.usecases.bank.verbs.get_insight import InsightSeen
from core.usecases.bank.verbs.list_banks import BanksListed
from core.usecases.bank.verbs.memorize import MemorizeResult
from core.usecases.bank.verbs.restructure import RestructureResult
from core.usecases.task.advance_task import TaskAdvanced
from core.usecases.task.start_task import TaskStarted
from memorybank.v1 import memory_bank_pb2 as pb
from memorybank.v1 import types_pb2
from service.api.mapping.rendering import UNSET, rendering, rendering_with
from service.api.to_proto import retrieval  # noqa: F401  declares the parts of prompts
from service.api.to_proto.insights import insight
from service.api.to_proto.scalars import time_or_none
from service.api.to_proto.values import bank

# ---- banks ----


create_bank = rendering_with(
    BankMade,
    pb.CreateBankResponse,
    bank=lambda made, kept: bank(made.record, made.revision, kept),
)
get_bank = rendering_with(
    BankSeen,
    pb.GetBankResponse,
    bank=lambda seen, kept: bank(seen.record, seen.revision, kept),
)
list_banks = rendering_with(
    BanksListed,
    pb.ListBanksResponse,
    banks=lambda listed, kept: [bank(record, revision, kept) for record, revision in listed.banks],
    judging=lambda listed, _: pb.Judging(model=listed.model, memory_bytes=listed.model_bytes),
)
update_bank = rendering_with(
    CommitResult[BankRecord],
    pb.UpdateBankResponse,
    bank=lambda done, kept: bank(done.result, done.revision, kept),
)


delete_bank = rendering(BankPurged, pb.DeleteBankResponse, replayed=UNSET)


# ---- the loop ----


memorize = rendering(MemorizeResult, pb.MemorizeResponse)
restructure = rendering(RestructureResult, pb.RestructureResponse, replayed=UNSET)


start_task = rendering_with(
    TaskStarted, pb.StartTaskResponse, bank=lambda done, kept: bank(done.bank, done.revision, kept)
)
_advance_task = rendering_with(
    TaskAdvanced,
    pb.AdvanceTaskResponse,
    purge_time=lambda done, kept: time_or_none(done.bank.goes_at(kept)),
    open_conflict_ids="open_conflicts",
)


def advance_task(done: TaskAdvanced, kept: timedelta) -> pb.AdvanceTaskResponse:
    """Renders the answer; of a finished task without the prompt."""
    if done.finished:
        made = replace(done.made, prompt="", tools=(), sections=(), left_out=(), missing=())
        done = replace(done, made=made)
    return _advance_task(done, kept)


# ---- the insight document ----


def _seen(seen: InsightSeen, kept: timedelta) -> types_pb2.Insight:
    shown = insight(seen.insight, seen.start, seen.end)
    if goes := time_or_none(seen.bank.goes_at(kept)):
        shown.purge_time.CopyFrom(goes)
    return shown


get_insight = rendering_with(InsightSeen, pb.GetInsightResponse, insight=_seen)
update_insight = rendering(CommitResult[Insight], pb.UpdateInsightResponse, insight="result")
