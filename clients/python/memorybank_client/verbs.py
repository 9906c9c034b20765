"""The verbs of both clients: one for each RPC of the contract, which says what its fields and errors mean."""

from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank_client import pieces
from memorybank_client.shapes import THINK, TRANSFER, WRITE, Both, Down, Unary, Up


class Verbs:
    """What can be asked of the service. Streamed verbs take what is streamed first, the rest are keywords alone."""

    # ---- MemoryBank: a task's memory and its loop ----

    create_bank = Unary(memory.CreateBankRequest, memory.CreateBankResponse, seconds=WRITE)
    """Make an empty bank."""
    get_bank = Unary(memory.GetBankRequest, memory.GetBankResponse)
    """Read a bank's record, and how much it holds."""
    list_banks = Unary(memory.ListBanksRequest, memory.ListBanksResponse)
    """List banks, a page at a time."""
    update_bank = Unary(memory.UpdateBankRequest, memory.UpdateBankResponse, seconds=WRITE)
    """Change the fields of a bank's record that `update_mask` names."""
    delete_bank = Unary(memory.DeleteBankRequest, memory.DeleteBankResponse, seconds=WRITE)
    """Purge a bank. Not tried again by itself: nothing remembers that it was done."""
    start_task = Unary(memory.StartTaskRequest, memory.StartTaskResponse, seconds=THINK)
    """Begin a task, its bank made if missing: first plan, first prompt."""
    advance_task = Unary(memory.AdvanceTaskRequest, memory.AdvanceTaskResponse, seconds=THINK)
    """Hand over what was done: memory updated, next plan, next prompt."""
    memorize = Unary(memory.MemorizeRequest, memory.MemorizeResponse, seconds=THINK)
    """Take a text or messages into the memory."""
    memorize_stream = Both(
        memory.MemorizeStreamRequest,
        memory.MemorizeStreamResponse,
        header=memory.MemorizeRequest,
        cut=pieces.of_text,
        seconds=TRANSFER,
    )
    """Memorize a text of any size: a str, its pieces in order, or an open text file. Progress, then the result."""
    upload_attachment = Up(
        memory.UploadAttachmentRequest,
        memory.UploadAttachmentResponse,
        header=memory.UploadAttachmentHeader,
        cut=pieces.of_file,
        seconds=TRANSFER,
    )
    """Keep a file: its bytes, their pieces in order, or an open binary file."""
    restructure = Unary(memory.RestructureRequest, memory.RestructureResponse, seconds=THINK)
    """Finish what was left unstructured."""
    list_conflicts = Unary(memory.ListConflictsRequest, memory.ListConflictsResponse)
    """List conflicts, the open ones unless `statuses` says otherwise."""
    resolve_conflict = Unary(memory.ResolveConflictRequest, memory.ResolveConflictResponse, seconds=THINK)
    """Close a conflict by a verdict, or dismiss it."""
    get_insight = Unary(memory.GetInsightRequest, memory.GetInsightResponse)
    """Read where the task stands."""
    update_insight = Unary(memory.UpdateInsightRequest, memory.UpdateInsightResponse, seconds=WRITE)
    """Change goal or plan."""
    watch_bank = Down(memory.WatchBankRequest, memory.WatchBankResponse, seconds=None)
    """Follow a bank, one message a revision; resumed with `from_revision`, the last one seen."""
    export_bank = Down(memory.ExportBankRequest, memory.ExportBankResponse, seconds=TRANSFER)
    """Write a bank out, record by record."""
    import_bank = Up(
        memory.ImportBankRequest,
        memory.ImportBankResponse,
        header=memory.ImportOptions,
        cut=pieces.of_export,
        seconds=TRANSFER,
    )
    """Make a bank from the records of an export."""

    # ---- QueryGraph: the graph, for agents that summarise by themselves ----

    add_node = Unary(graph.AddNodeRequest, graph.AddNodeResponse, seconds=WRITE)
    """Add a node."""
    batch_add_nodes = Unary(graph.BatchAddNodesRequest, graph.BatchAddNodesResponse, seconds=WRITE)
    """Add up to 100 nodes, all or none."""
    get_node = Unary(graph.GetNodeRequest, graph.GetNodeResponse)
    """Read a node and its place."""
    list_nodes = Unary(graph.ListNodesRequest, graph.ListNodesResponse)
    """List nodes, a page at a time."""
    update_node = Unary(graph.UpdateNodeRequest, graph.UpdateNodeResponse, seconds=WRITE)
    """Change the fields of a node that `update_mask` names."""
    delete_node = Unary(graph.DeleteNodeRequest, graph.DeleteNodeResponse, seconds=WRITE)
    """Remove a node and its edges."""
    relate = Unary(graph.RelateRequest, graph.RelateResponse, seconds=WRITE)
    """Make two nodes related."""
    unrelate = Unary(graph.UnrelateRequest, graph.UnrelateResponse, seconds=WRITE)
    """Make two nodes unrelated."""
    list_neighbors = Unary(graph.ListNeighborsRequest, graph.ListNeighborsResponse)
    """List the nodes around a node, nearest first."""
    merge_nodes = Unary(graph.MergeNodesRequest, graph.MergeNodesResponse, seconds=THINK)
    """Make nodes one."""

    # ---- Retrieval: finding memories, and putting them before a model ----

    search = Unary(retrieval.SearchRequest, retrieval.SearchResponse)
    """Find nodes or segments by words, meaning or both."""
    batch_search = Unary(retrieval.BatchSearchRequest, retrieval.BatchSearchResponse)
    """Do several searches of one bank at one revision."""
    augment = Unary(retrieval.AugmentRequest, retrieval.AugmentResponse)
    """Assemble a prompt: tool, insight document, memories that fit."""

    # ---- DeepRetrieval: down to the verbatim record ----

    get_interaction = Unary(deep.GetInteractionRequest, deep.GetInteractionResponse)
    """Read the verbatim records of a node, or one of them."""
    list_interactions = Unary(deep.ListInteractionsRequest, deep.ListInteractionsResponse)
    """List verbatim records without their texts."""
    read_attachment = Down(deep.ReadAttachmentRequest, deep.ReadAttachmentResponse, seconds=TRANSFER)
    """Read a file, piece by piece; resumed with `offset`."""
    get_lineage = Unary(deep.GetLineageRequest, deep.GetLineageResponse)
    """Tell what a node absorbed."""

    # ---- Instructions: documents that an agent is told before every run ----

    put_source = Unary(instructions.PutSourceRequest, instructions.PutSourceResponse, seconds=WRITE)
    """Create an instruction document, or replace its text."""
    get_source = Unary(instructions.GetSourceRequest, instructions.GetSourceResponse)
    """Read an instruction document."""
    list_sources = Unary(instructions.ListSourcesRequest, instructions.ListSourcesResponse)
    """List an owner's instruction documents."""
    list_versions = Unary(instructions.ListVersionsRequest, instructions.ListVersionsResponse)
    """List the versions of an instruction document, newest first."""
    edit_source = Unary(instructions.EditSourceRequest, instructions.EditSourceResponse, seconds=WRITE)
    """Replace a passage that stands in an instruction document exactly once."""
    delete_source = Unary(instructions.DeleteSourceRequest, instructions.DeleteSourceResponse, seconds=WRITE)
    """Erase an instruction document and all its versions."""
    load_sources = Unary(instructions.LoadSourcesRequest, instructions.LoadSourcesResponse)
    """Load what an agent is to follow, as one block; a run sees the same versions every time."""


METHODS = [shape.method for shape in vars(Verbs).values() if isinstance(shape, Unary | Down | Up | Both)]
