"""The MemoryBank service, row by row."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from core.usecases.bank.verbs.close_interactions import close_interactions
from core.usecases.bank.verbs.confirm_conflict import confirm_conflict
from core.usecases.bank.verbs.create_bank import create_or_get_bank, new_bank_id
from core.usecases.bank.verbs.delete_bank import delete_bank
from core.usecases.bank.verbs.get_bank import get_bank
from core.usecases.bank.verbs.get_insight import get_insight
from core.usecases.bank.verbs.list_banks import list_banks
from core.usecases.bank.verbs.list_conflicts import list_conflicts
from core.usecases.bank.verbs.list_retractions import list_interaction_retractions
from core.usecases.bank.verbs.memorize import memorize
from core.usecases.bank.verbs.resolve_conflict import resolve_conflict
from core.usecases.bank.verbs.restructure import restructure
from core.usecases.bank.verbs.retract_interactions import retract_interactions
from core.usecases.bank.verbs.update_bank import update_bank
from core.usecases.bank.verbs.update_insight import update_insight
from core.usecases.task.advance_task import advance_task
from core.usecases.task.start_task import start_task
from memorybank.v1 import memory_bank_pb2 as pb
from service.api import streams
from service.api.endpoint import identity
from service.api.from_proto import memory_bank as read
from service.api.rows import OfHouse, rpc, rpc_both, rpc_in, rpc_out
from service.api.to_proto import memory_bank as render
from service.api.to_proto import retractions
from service.api.to_proto.export import import_bank


def keeping(answer: Callable[[Any, timedelta], Any]) -> OfHouse:
    """Makes an answer tell when the bank is purged."""
    return OfHouse(lambda house: lambda value: answer(value, house.settings.finished_ttl))


start = OfHouse(lambda house: partial(read.start_task, new_bank_id=partial(new_bank_id, house)))


SERVICE = pb.DESCRIPTOR.services_by_name["MemoryBank"]
ROWS = (
    rpc("CreateBank", create_or_get_bank, read.create_bank, keeping(render.create_bank)),
    rpc("GetBank", get_bank, render=keeping(render.get_bank)),
    rpc("ListBanks", list_banks, read.list_banks, keeping(render.list_banks)),
    rpc("UpdateBank", update_bank, read.update_bank, keeping(render.update_bank)),
    rpc("DeleteBank", delete_bank, render=render.delete_bank),
    rpc("StartTask", start_task, start, keeping(render.start_task)),
    rpc("AdvanceTask", advance_task, read.advance_task, keeping(render.advance_task)),
    rpc("Memorize", memorize, read.memorize),
    rpc_both("MemorizeStream", streams.memorize_stream, identity),
    rpc_in("UploadAttachment", streams.upload, passes_on=lambda _: True),
    rpc("Restructure", restructure, render=render.restructure),
    rpc("RetractInteractions", retract_interactions, read.retract, retractions.retract_interactions),
    rpc("ReleaseInteractions", close_interactions, read.release),
    rpc("EraseInteractions", close_interactions, read.erase, retractions.erase_interactions),
    rpc("ListInteractionRetractions", list_interaction_retractions),
    rpc("ListConflicts", list_conflicts),
    rpc("ConfirmConflict", confirm_conflict),
    rpc("ResolveConflict", resolve_conflict, read.resolve_conflict),
    rpc("GetInsight", get_insight, render=keeping(render.get_insight)),
    rpc("UpdateInsight", update_insight, read.update_insight, render.update_insight),
    rpc_out("WatchBank", streams.watch, render=identity, endless=True),
    rpc_out("ExportBank", streams.write_out, render=identity),
    rpc_in("ImportBank", streams.read_in, keeping(import_bank), passes_on=streams.is_passed_on),
)
