"""The Retrieval service, row by row."""

from core.usecases.bank.verbs.augment import augment
from core.usecases.bank.verbs.search import run_searches
from core.usecases.context.assemble_context import assemble_context
from core.usecases.context.explain import explain
from core.usecases.context.explain_pair import explain_pair
from memorybank.v1 import retrieval_pb2 as pb
from service.api.from_proto import retrieval as read
from service.api.rows import rpc
from service.api.to_proto import retrieval as render
from service.api.to_proto.pairs import explain_pair as pair_explained

SERVICE = pb.DESCRIPTOR.services_by_name["Retrieval"]
ROWS = (
    rpc("Search", run_searches, read.search, render.search),
    rpc("BatchSearch", run_searches, read.batch_search, render.batch_search),
    rpc("AssembleContext", assemble_context, read.assemble_context),
    rpc("Explain", explain, read.explain),
    rpc("ExplainPair", explain_pair, read.explain_pair, pair_explained),
    rpc("Augment", augment, read.augment, render.augment),
)
