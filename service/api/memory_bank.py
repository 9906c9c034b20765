"""The MemoryBank service, method by method: message, parse, call, render."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from google.protobuf.message import Message

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
from core.usecases.house import House
from core.usecases.task.advance_task import advance_task
from core.usecases.task.start_task import start_task
from memorybank.v1 import memory_bank_pb2 as pb
from service.api import streams
from service.api.endpoint import Endpoint, bidi_stream, client_stream, identity, server_stream, unary
from service.api.from_proto import memory_bank as parse
from service.api.from_proto import retractions as parse_retraction
from service.api.from_proto.export import export_bank
from service.api.to_proto import memory_bank as render
from service.api.to_proto import retractions as render_retraction
from service.api.to_proto.export import import_bank

Reply = TypeVar("Reply", bound=Message)

SERVICE = pb.DESCRIPTOR.services_by_name["MemoryBank"].full_name


def _keeping(house: House, answer: Callable[..., Reply]) -> Callable[[Any], Reply]:
    """Makes an answer tell when the bank is purged."""
    return partial(answer, kept=house.finished_ttl)


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        **_banks(house),
        **_memorizing(house),
        **_retractions(house),
        **_conflicts_and_insight(house),
        **_streams(house),
    }


def _banks(house: House) -> Mapping[str, Endpoint]:
    return {
        "CreateBank": unary(
            pb.CreateBankRequest,
            parse.create_bank,
            partial(create_or_get_bank, house),
            _keeping(house, render.create_bank),
        ),
        "GetBank": unary(
            pb.GetBankRequest, parse.get_bank, partial(get_bank, house), _keeping(house, render.get_bank)
        ),
        "ListBanks": unary(
            pb.ListBanksRequest,
            parse.list_banks,
            partial(list_banks, house),
            _keeping(house, render.list_banks),
        ),
        "UpdateBank": unary(
            pb.UpdateBankRequest,
            parse.update_bank,
            partial(update_bank, house),
            _keeping(house, render.update_bank),
        ),
        "DeleteBank": unary(
            pb.DeleteBankRequest, parse.delete_bank, partial(delete_bank, house), render.delete_bank
        ),
    }


def _memorizing(house: House) -> Mapping[str, Endpoint]:
    return {
        "StartTask": unary(
            pb.StartTaskRequest,
            partial(parse.start_task, new_bank_id=partial(new_bank_id, house)),
            partial(start_task, house),
            _keeping(house, render.start_task),
        ),
        "AdvanceTask": unary(
            pb.AdvanceTaskRequest,
            parse.advance_task,
            partial(advance_task, house),
            _keeping(house, render.advance_task),
        ),
        "Memorize": unary(pb.MemorizeRequest, parse.memorize, partial(memorize, house), render.memorize),
        "MemorizeStream": bidi_stream(
            pb.MemorizeStreamRequest, partial(streams.memorize_stream, house), identity
        ),
        "UploadAttachment": client_stream(
            pb.UploadAttachmentRequest,
            partial(streams.upload, house),
            render.upload_attachment,
            passes_on=lambda _: True,
        ),
        "Restructure": unary(
            pb.RestructureRequest, parse.restructure, partial(restructure, house), render.restructure
        ),
    }


def _retractions(house: House) -> Mapping[str, Endpoint]:
    close = partial(close_interactions, house)
    return {
        "RetractInteractions": unary(
            pb.RetractInteractionsRequest,
            parse_retraction.retract,
            partial(retract_interactions, house),
            render_retraction.retract,
        ),
        "ReleaseInteractions": unary(
            pb.ReleaseInteractionsRequest, parse_retraction.release, close, render_retraction.release
        ),
        "EraseInteractions": unary(
            pb.EraseInteractionsRequest, parse_retraction.erase, close, render_retraction.erase
        ),
        "ListInteractionRetractions": unary(
            pb.ListInteractionRetractionsRequest,
            parse_retraction.list_retractions,
            partial(list_interaction_retractions, house),
            render_retraction.list_retractions,
        ),
    }


def _conflicts_and_insight(house: House) -> Mapping[str, Endpoint]:
    return {
        "ListConflicts": unary(
            pb.ListConflictsRequest,
            parse.list_conflicts,
            partial(list_conflicts, house),
            render.list_conflicts,
        ),
        "ConfirmConflict": unary(
            pb.ConfirmConflictRequest,
            parse.confirm_conflict,
            partial(confirm_conflict, house),
            render.confirm_conflict,
        ),
        "ResolveConflict": unary(
            pb.ResolveConflictRequest,
            parse.resolve_conflict,
            partial(resolve_conflict, house),
            render.resolve_conflict,
        ),
        "GetInsight": unary(
            pb.GetInsightRequest,
            parse.get_insight,
            partial(get_insight, house),
            _keeping(house, render.get_insight),
        ),
        "UpdateInsight": unary(
            pb.UpdateInsightRequest,
            parse.update_insight,
            partial(update_insight, house),
            render.update_insight,
        ),
    }


def _streams(house: House) -> Mapping[str, Endpoint]:
    return {
        "WatchBank": server_stream(
            pb.WatchBankRequest, parse.watch_bank, partial(streams.watch, house), identity, endless=True
        ),
        "ExportBank": server_stream(
            pb.ExportBankRequest, export_bank, partial(streams.write_out, house), identity
        ),
        "ImportBank": client_stream(
            pb.ImportBankRequest,
            partial(streams.read_in, house),
            _keeping(house, import_bank),
            passes_on=streams.is_passed_on,
        ),
    }
