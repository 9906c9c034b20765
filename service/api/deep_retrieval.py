"""The DeepRetrieval service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

from core.usecases.bank.verbs.get_interaction import get_interaction
from core.usecases.bank.verbs.get_lineage import get_lineage
from core.usecases.bank.verbs.list_interactions import list_interactions
from core.usecases.house import House
from memorybank.v1 import deep_retrieval_pb2 as pb
from service.api import streams
from service.api.endpoint import Endpoint, identity, server_stream, unary
from service.api.from_proto import deep_retrieval as parse
from service.api.to_proto import deep_retrieval as render

SERVICE = pb.DESCRIPTOR.services_by_name["DeepRetrieval"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        "GetInteraction": unary(
            pb.GetInteractionRequest,
            parse.get_interaction,
            partial(get_interaction, house),
            render.get_interaction,
        ),
        "ListInteractions": unary(
            pb.ListInteractionsRequest,
            parse.list_interactions,
            partial(list_interactions, house),
            render.list_interactions,
        ),
        "ReadAttachment": server_stream(
            pb.ReadAttachmentRequest, parse.read_attachment, partial(streams.read_file, house), identity
        ),
        "GetLineage": unary(
            pb.GetLineageRequest, parse.get_lineage, partial(get_lineage, house), render.get_lineage
        ),
    }
