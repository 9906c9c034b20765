"""Requests of LongTerm about collections as wholes."""

from collections.abc import Mapping

from core.caller import Caller
from core.ids import User
from core.model.access import Scope
from core.usecases.long_term.exchange.export_collection import ExportCollection
from core.usecases.long_term.verbs.delete_collection import DeleteCollection
from core.usecases.long_term.verbs.get_collection import GetCollection
from core.usecases.long_term.verbs.list_collections import ListCollections
from core.usecases.long_term.verbs.update_collection import UpdateCollection
from memorybank.v1 import long_term_pb2 as pb
from service.api.enums import REVIEWS, or_first
from service.api.from_proto.checks import NAME, Checks, checking
from service.api.from_proto.records import MOST_CATEGORIES, category, collection_key, key_of

COLLECTION_FIELDS = ("half_life_days", "retention", "enabled", "review")
LONGEST_HALF_LIFE = 36_525.0  # days


def get_collection(request: pb.GetCollectionRequest, caller: Caller) -> GetCollection:
    with checking(caller, request) as check:
        return GetCollection(key=key_of(check, caller, request), min_revision=check.min_revision(request))


def update_collection(request: pb.UpdateCollectionRequest, caller: Caller) -> UpdateCollection:
    with checking(caller, request) as check:
        given = request.collection
        retention = given.HasField("retention")
        return UpdateCollection(
            key=collection_key(check, caller, given.user, given.collection, "collection."),
            fields=check.mask("update_mask", request.update_mask, COLLECTION_FIELDS),
            half_life_days=half_lives(check, "collection.half_life_days", given.half_life_days),
            retention=check.duration("collection.retention", given.retention) if retention else None,
            enabled=given.enabled,
            review=check.choice("collection.review", given.review, or_first(REVIEWS)),
            approves=caller.may(Scope.APPROVE),
            if_revision=check.revision(request, "if_revision"),
            request=check.request(request),
        )


def half_lives(check: Checks, field: str, values: Mapping[str, float]) -> dict[str, float]:
    """Reads days by category."""
    check.amount(field, values, MOST_CATEGORIES)
    for name, days in list(values.items())[:MOST_CATEGORIES]:
        category(check, field, name or " ")
        if not 0.0 <= days <= LONGEST_HALF_LIFE:
            check.wrong(f"{field}[{name[:NAME]}]", f"must be 0 to {LONGEST_HALF_LIFE:,.0f} days")
    return dict(values)


def list_collections(request: pb.ListCollectionsRequest, caller: Caller) -> ListCollections:
    with checking(caller, request) as check:
        return ListCollections(
            tenant=caller.tenant,
            user=User(check.text("user", request.user, NAME, least=1)),
            within=caller.binding,
            page_size=check.page_size(request.page_size),
            page_token=check.page_token(request.page_token),
        )


def delete_collection(request: pb.DeleteCollectionRequest, caller: Caller) -> DeleteCollection:
    with checking(caller, request) as check:
        check.request(request)
        return DeleteCollection(
            key=key_of(check, caller, request),
            allow_missing=request.allow_missing,
            if_revision=check.revision(request, "if_revision"),
            approves=caller.may(Scope.APPROVE),
        )


def export_collection(request: pb.ExportCollectionRequest, caller: Caller) -> ExportCollection:
    with checking(caller, request) as check:
        return ExportCollection(key=key_of(check, caller, request), min_revision=check.min_revision(request))
