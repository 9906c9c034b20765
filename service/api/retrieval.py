"""The Retrieval service, method by method: message, parse, call, render."""

from collections.abc import Mapping
from functools import partial

from core.usecases.bank.verbs.augment import augment
from core.usecases.bank.verbs.search import run_searches
from core.usecases.context.assemble_context import assemble_context
from core.usecases.context.explain import explain
from core.usecases.context.explain_pair import explain_pair
from core.usecases.house import House
from memorybank.v1 import retrieval_pb2 as pb
from service.api.endpoint import Endpoint, unary
from service.api.from_proto import retrieval as parse
from service.api.to_proto import retrieval as render
from service.api.to_proto.pairs import explain_pair as pair_explained

SERVICE = pb.DESCRIPTOR.services_by_name["Retrieval"].full_name


def endpoints(house: House) -> Mapping[str, Endpoint]:
    return {
        "Search": unary(pb.SearchRequest, parse.search, partial(run_searches, house), render.search),
        "BatchSearch": unary(
            pb.BatchSearchRequest, parse.batch_search, partial(run_searches, house), render.batch_search
        ),
        "AssembleContext": unary(
            pb.AssembleContextRequest,
            parse.assemble_context,
            partial(assemble_context, house),
            render.assemble_context,
        ),
        "Explain": unary(pb.ExplainRequest, parse.explain, partial(explain, house), render.explain),
        "ExplainPair": unary(
            pb.ExplainPairRequest, parse.explain_pair, partial(explain_pair, house), pair_explained
        ),
        "Augment": unary(pb.AugmentRequest, parse.augment, partial(augment, house), render.augment),
    }
