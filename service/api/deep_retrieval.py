"""The DeepRetrieval service, row by row."""

from core.usecases.bank.verbs.get_interaction import get_interaction
from core.usecases.bank.verbs.get_lineage import get_lineage
from core.usecases.bank.verbs.list_interactions import list_interactions
from memorybank.v1 import deep_retrieval_pb2 as pb
from service.api import streams
from service.api.endpoint import identity
from service.api.from_proto import deep_retrieval as read
from service.api.rows import rpc, rpc_out

SERVICE = pb.DESCRIPTOR.services_by_name["DeepRetrieval"]
ROWS = (
    rpc("GetInteraction", get_interaction, read.get_interaction),
    rpc("ListInteractions", list_interactions, read.list_interactions),
    rpc_out("ReadAttachment", streams.read_file, render=identity),
    rpc("GetLineage", get_lineage),
)
