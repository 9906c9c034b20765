"""The verbs of both clients: one for each RPC of the contract, which says what its fields and errors mean."""

from memorybank.v1 import conversation_pb2 as talk
from memorybank.v1 import deep_retrieval_pb2 as deep
from memorybank.v1 import instructions_pb2 as instructions
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import memory_bank_pb2 as memory
from memorybank.v1 import operations_pb2 as operations
from memorybank.v1 import query_graph_pb2 as graph
from memorybank.v1 import retrieval_pb2 as retrieval
from memorybank_client import pieces
from memorybank_client.shapes import Both, Down, Unary, Up


class Verbs:
    """What can be asked of the service. Streamed verbs take what is streamed first, the rest are keywords alone."""

    # ---- MemoryBank: a task's memory and its loop ----

    create_bank = Unary(memory.CreateBankRequest, memory.CreateBankResponse)
    """Make an empty bank."""
    get_bank = Unary(memory.GetBankRequest, memory.GetBankResponse)
    """Read a bank's record, and how much it holds."""
    list_banks = Unary(memory.ListBanksRequest, memory.ListBanksResponse)
    """List banks, a page at a time."""
    update_bank = Unary(memory.UpdateBankRequest, memory.UpdateBankResponse)
    """Change the fields of a bank's record that `update_mask` names."""
    delete_bank = Unary(memory.DeleteBankRequest, memory.DeleteBankResponse)
    """Purge a bank. Not tried again by itself: nothing remembers that it was done."""
    start_task = Unary(memory.StartTaskRequest, memory.StartTaskResponse)
    """Begin a task, its bank made if missing: first plan, first prompt."""
    advance_task = Unary(memory.AdvanceTaskRequest, memory.AdvanceTaskResponse)
    """Hand over what was done: memory updated, next plan, next prompt."""
    memorize = Unary(memory.MemorizeRequest, memory.MemorizeResponse)
    """Take a text or messages into the memory."""
    memorize_stream = Both(
        memory.MemorizeStreamRequest,
        memory.MemorizeStreamResponse,
        header=memory.MemorizeRequest,
        cut=pieces.of_text,
    )
    """Memorize a text of any size: a str, its pieces in order, or an open text file. Progress, then the result."""
    upload_attachment = Up(
        memory.UploadAttachmentRequest,
        memory.UploadAttachmentResponse,
        header=memory.UploadAttachmentHeader,
        cut=pieces.of_file,
    )
    """Keep a file: its bytes, their pieces in order, or an open binary file."""
    restructure = Unary(memory.RestructureRequest, memory.RestructureResponse)
    """Finish what was left unstructured."""
    list_conflicts = Unary(memory.ListConflictsRequest, memory.ListConflictsResponse)
    """List conflicts, the open ones unless `statuses` says otherwise."""
    resolve_conflict = Unary(memory.ResolveConflictRequest, memory.ResolveConflictResponse)
    """Close a conflict by a verdict, or dismiss it."""
    retract_interactions = Unary(
        memory.RetractInteractionsRequest,
        memory.RetractInteractionsResponse,
    )
    """Take records back with all that rests on them: out of every answer, kept for a release."""
    release_interactions = Unary(
        memory.ReleaseInteractionsRequest,
        memory.ReleaseInteractionsResponse,
    )
    """Bring back what was taken of a bank."""
    erase_interactions = Unary(
        memory.EraseInteractionsRequest,
        memory.EraseInteractionsResponse,
    )
    """Erase what was taken of a bank, for good."""
    list_interaction_retractions = Unary(
        memory.ListInteractionRetractionsRequest, memory.ListInteractionRetractionsResponse
    )
    """List what was taken back of a bank."""
    confirm_conflict = Unary(memory.ConfirmConflictRequest, memory.ConfirmConflictResponse)
    """Make a suspected conflict an open one."""
    get_insight = Unary(memory.GetInsightRequest, memory.GetInsightResponse)
    """Read where the task stands."""
    update_insight = Unary(memory.UpdateInsightRequest, memory.UpdateInsightResponse)
    """Change goal or plan."""
    watch_bank = Down(memory.WatchBankRequest, memory.WatchBankResponse)
    """Follow a bank, one message a revision; resumed with `from_revision`, the last one seen."""
    export_bank = Down(memory.ExportBankRequest, memory.ExportBankResponse)
    """Write a bank out, record by record."""
    import_bank = Up(
        memory.ImportBankRequest,
        memory.ImportBankResponse,
        header=memory.ImportOptions,
        cut=pieces.of_export,
    )
    """Make a bank from the records of an export."""

    # ---- QueryGraph: the graph, for agents that summarise by themselves ----

    add_node = Unary(graph.AddNodeRequest, graph.AddNodeResponse)
    """Add a node."""
    batch_add_nodes = Unary(graph.BatchAddNodesRequest, graph.BatchAddNodesResponse)
    """Add up to 100 nodes, all or none."""
    get_node = Unary(graph.GetNodeRequest, graph.GetNodeResponse)
    """Read a node and its place."""
    list_nodes = Unary(graph.ListNodesRequest, graph.ListNodesResponse)
    """List nodes, a page at a time."""
    update_node = Unary(graph.UpdateNodeRequest, graph.UpdateNodeResponse)
    """Change the fields of a node that `update_mask` names."""
    delete_node = Unary(graph.DeleteNodeRequest, graph.DeleteNodeResponse)
    """Remove a node and its edges."""
    relate = Unary(graph.RelateRequest, graph.RelateResponse)
    """Make two nodes related."""
    unrelate = Unary(graph.UnrelateRequest, graph.UnrelateResponse)
    """Make two nodes unrelated."""
    list_neighbors = Unary(graph.ListNeighborsRequest, graph.ListNeighborsResponse)
    """List the nodes around a node, nearest first."""
    merge_nodes = Unary(graph.MergeNodesRequest, graph.MergeNodesResponse)
    """Make nodes one."""

    # ---- Retrieval: finding memories, and putting them before a model ----

    search = Unary(retrieval.SearchRequest, retrieval.SearchResponse)
    """Find nodes or segments by words, meaning or both."""
    batch_search = Unary(retrieval.BatchSearchRequest, retrieval.BatchSearchResponse)
    """Do several searches of one bank at one revision."""
    augment = Unary(retrieval.AugmentRequest, retrieval.AugmentResponse)
    """Assemble a prompt: tool, insight document, memories that fit."""
    assemble_context = Unary(
        retrieval.AssembleContextRequest,
        retrieval.AssembleContextResponse,
    )
    """Assemble one prompt, or messages, for an input, from a conversation and a bank."""
    explain = Unary(retrieval.ExplainRequest, retrieval.ExplainResponse)
    """Tell why a memory stands in a context, or why not, and what lets it stand."""
    explain_pair = Unary(retrieval.ExplainPairRequest, retrieval.ExplainPairResponse)
    """Tell what the offline Judge makes of two memories, and what decides it."""

    # ---- DeepRetrieval: down to the verbatim record ----

    get_interaction = Unary(deep.GetInteractionRequest, deep.GetInteractionResponse)
    """Read the verbatim records of a node, or one of them."""
    list_interactions = Unary(deep.ListInteractionsRequest, deep.ListInteractionsResponse)
    """List verbatim records without their texts."""
    read_attachment = Down(deep.ReadAttachmentRequest, deep.ReadAttachmentResponse)
    """Read a file, piece by piece; resumed with `offset`."""
    get_lineage = Unary(deep.GetLineageRequest, deep.GetLineageResponse)
    """Tell what a node absorbed."""

    # ---- Instructions: documents that an agent is told before every run ----

    put_source = Unary(instructions.PutSourceRequest, instructions.PutSourceResponse)
    """Create an instruction document, or replace its text."""
    get_source = Unary(instructions.GetSourceRequest, instructions.GetSourceResponse)
    """Read an instruction document."""
    list_sources = Unary(instructions.ListSourcesRequest, instructions.ListSourcesResponse)
    """List an owner's instruction documents."""
    list_versions = Unary(instructions.ListVersionsRequest, instructions.ListVersionsResponse)
    """List the versions of an instruction document, newest first."""
    edit_source = Unary(instructions.EditSourceRequest, instructions.EditSourceResponse)
    """Replace a passage that stands in an instruction document exactly once."""
    delete_source = Unary(instructions.DeleteSourceRequest, instructions.DeleteSourceResponse)
    """Erase an instruction document and all its versions."""
    load_sources = Unary(instructions.LoadSourcesRequest, instructions.LoadSourcesResponse)
    """Load what an agent is to follow, as one block; a run sees the same versions every time."""

    # ---- Conversation: what was said, in tiers ----

    create_conversation = Unary(
        talk.CreateConversationRequest,
        talk.CreateConversationResponse,
    )
    """Make a conversation."""
    get_conversation = Unary(talk.GetConversationRequest, talk.GetConversationResponse)
    """Read a conversation, and how much it holds."""
    list_conversations = Unary(talk.ListConversationsRequest, talk.ListConversationsResponse)
    """List a user's conversations, a page at a time."""
    update_conversation = Unary(
        talk.UpdateConversationRequest,
        talk.UpdateConversationResponse,
    )
    """Change the fields of a conversation that `update_mask` names."""
    end_conversation = Unary(talk.EndConversationRequest, talk.EndConversationResponse)
    """End a conversation: what has no summary yet gets one."""
    delete_conversation = Unary(
        talk.DeleteConversationRequest,
        talk.DeleteConversationResponse,
    )
    """Purge a conversation. Not tried again by itself: nothing remembers that it was done."""
    add_turns = Unary(talk.AddTurnsRequest, talk.AddTurnsResponse)
    """Add up to 100 turns, all or none; a conversation that is not there is made."""
    list_turns = Unary(talk.ListTurnsRequest, talk.ListTurnsResponse)
    """List turns in step order."""
    delete_turns = Unary(talk.DeleteTurnsRequest, talk.DeleteTurnsResponse)
    """Delete turns, and what rests on them."""
    retract_turns = Unary(talk.RetractTurnsRequest, talk.RetractTurnsResponse)
    """Take turns back with all that rests on them, kept for a release."""
    release_turns = Unary(talk.ReleaseTurnsRequest, talk.ReleaseTurnsResponse)
    """Bring back turns that were taken back."""
    erase_turns = Unary(talk.EraseTurnsRequest, talk.EraseTurnsResponse)
    """Erase turns that were taken back, for good."""
    list_turn_retractions = Unary(talk.ListTurnRetractionsRequest, talk.ListTurnRetractionsResponse)
    """List what was taken back of a conversation."""
    search_turns = Unary(talk.SearchTurnsRequest, talk.SearchTurnsResponse)
    """Find turns of every tier."""
    add_key = Unary(talk.AddKeyRequest, talk.AddKeyResponse)
    """Add a short statement that every prompt shows."""
    update_key = Unary(talk.UpdateKeyRequest, talk.UpdateKeyResponse)
    """Reword a key."""
    delete_key = Unary(talk.DeleteKeyRequest, talk.DeleteKeyResponse)
    """Delete a key."""
    list_keys = Unary(talk.ListKeysRequest, talk.ListKeysResponse)
    """List keys as prompts show them."""
    list_clusters = Unary(talk.ListClustersRequest, talk.ListClustersResponse)
    """List the clusters of older turns."""
    delete_cluster = Unary(talk.DeleteClusterRequest, talk.DeleteClusterResponse)
    """Delete a cluster; its turns are placed anew."""
    list_summaries = Unary(talk.ListSummariesRequest, talk.ListSummariesResponse)
    """List summaries in step order."""
    delete_summaries = Unary(talk.DeleteSummariesRequest, talk.DeleteSummariesResponse)
    """Delete summaries; they are not made anew."""
    start_invocation = Unary(talk.StartInvocationRequest, talk.StartInvocationResponse)
    """Begin one run of an agent, with a working memory of its own."""
    add_working_items = Unary(talk.AddWorkingItemsRequest, talk.AddWorkingItemsResponse)
    """Add what an agent thought, did and saw."""
    get_working_memory = Unary(talk.GetWorkingMemoryRequest, talk.GetWorkingMemoryResponse)
    """Read what an agent has in mind, within its tokens."""
    end_invocation = Unary(talk.EndInvocationRequest, talk.EndInvocationResponse)
    """End a run: its conversation gets summary and turn, its working memory is gone."""
    add_invocation_summary = Unary(
        talk.AddInvocationSummaryRequest,
        talk.AddInvocationSummaryResponse,
    )
    """Add what a run left that the service kept no working memory of."""
    list_invocations = Unary(talk.ListInvocationsRequest, talk.ListInvocationsResponse)
    """List what runs left in a conversation."""

    # ---- LongTerm: what outlives a conversation ----

    store_fact = Unary(long_term.StoreFactRequest, long_term.StoreFactResponse)
    """Remember a fact: durable and found at once, then judged."""
    retrieve_facts = Unary(long_term.RetrieveFactsRequest, long_term.RetrieveFactsResponse)
    """Find facts."""
    store_episode = Unary(long_term.StoreEpisodeRequest, long_term.StoreEpisodeResponse)
    """Remember what was tried, and what came of it."""
    recall_episodes = Unary(long_term.RecallEpisodesRequest, long_term.RecallEpisodesResponse)
    """Find what was tried before."""
    add_record = Unary(long_term.AddRecordRequest, long_term.AddRecordResponse)
    """Store a record of any kind."""
    put_record = Unary(long_term.PutRecordRequest, long_term.PutRecordResponse)
    """Store a memory under an id of the caller's own, new or in place of the one that has it."""
    batch_put_records = Unary(long_term.BatchPutRecordsRequest, long_term.BatchPutRecordsResponse)
    """Put and delete many memories in one change: all or none."""
    get_record = Unary(long_term.GetRecordRequest, long_term.GetRecordResponse)
    """Read a record."""
    update_record = Unary(long_term.UpdateRecordRequest, long_term.UpdateRecordResponse)
    """Change the fields of a record that `update_mask` names, or decide a contested fact."""
    list_records = Unary(long_term.ListRecordsRequest, long_term.ListRecordsResponse)
    """List records, a page at a time."""
    review_records = Unary(long_term.ReviewRecordsRequest, long_term.ReviewRecordsResponse)
    """Approve, correct or reject records that wait for a review."""
    retract_records = Unary(long_term.RetractRecordsRequest, long_term.RetractRecordsResponse)
    """Take back what a source taught: out of every answer at once, kept for a release."""
    release_retraction = Unary(
        long_term.ReleaseRetractionRequest,
        long_term.ReleaseRetractionResponse,
    )
    """Bring back what a retraction took."""
    erase_retraction = Unary(
        long_term.EraseRetractionRequest,
        long_term.EraseRetractionResponse,
    )
    """Erase what a retraction took, for good."""
    list_retractions = Unary(long_term.ListRetractionsRequest, long_term.ListRetractionsResponse)
    """List what was taken back."""
    delete_records = Unary(long_term.DeleteRecordsRequest, long_term.DeleteRecordsResponse)
    """Erase records, named or by a filter."""
    retrieve_memories = Unary(long_term.RetrieveMemoriesRequest, long_term.RetrieveMemoriesResponse)
    """Find records of any kind, routed by the query's intent and domain."""
    record_recovery = Unary(long_term.RecordRecoveryRequest, long_term.RecordRecoveryResponse)
    """Record how a failed tool call was mended."""
    find_recoveries = Unary(long_term.FindRecoveriesRequest, long_term.FindRecoveriesResponse)
    """Find how failures like this were mended."""
    report_outcome = Unary(long_term.ReportOutcomeRequest, long_term.ReportOutcomeResponse)
    """Tell whether reusing records helped."""
    give_feedback = Unary(long_term.GiveFeedbackRequest, long_term.GiveFeedbackResponse)
    """Give an opinion on records."""
    export_feedback = Down(
        long_term.ExportFeedbackRequest,
        long_term.ExportFeedbackResponse,
    )
    """Write out preference pairs."""
    generate_reflection = Unary(
        long_term.GenerateReflectionRequest,
        long_term.GenerateReflectionResponse,
    )
    """Make a reflection over records."""
    get_reflection = Unary(long_term.GetReflectionRequest, long_term.GetReflectionResponse)
    """Read a reflection."""
    list_reflections = Unary(long_term.ListReflectionsRequest, long_term.ListReflectionsResponse)
    """List reflections, a page at a time."""
    delete_reflection = Unary(
        long_term.DeleteReflectionRequest,
        long_term.DeleteReflectionResponse,
    )
    """Delete a reflection; its records stay."""
    get_collection = Unary(long_term.GetCollectionRequest, long_term.GetCollectionResponse)
    """Read a collection's settings and counts."""
    update_collection = Unary(
        long_term.UpdateCollectionRequest,
        long_term.UpdateCollectionResponse,
    )
    """Change the settings of a collection that `update_mask` names."""
    list_collections = Unary(long_term.ListCollectionsRequest, long_term.ListCollectionsResponse)
    """List a user's collections."""
    delete_collection = Unary(
        long_term.DeleteCollectionRequest,
        long_term.DeleteCollectionResponse,
    )
    """Purge a collection. Not tried again by itself: nothing remembers that it was done."""
    get_user = Unary(long_term.GetUserRequest, long_term.GetUserResponse)
    """Read a user's settings, and how much is kept of the user."""
    list_users = Unary(long_term.ListUsersRequest, long_term.ListUsersResponse)
    """List the users for whom something was written."""
    update_user = Unary(long_term.UpdateUserRequest, long_term.UpdateUserResponse)
    """Switch a user's memory off or on, and say how long it is kept."""
    purge_user = Unary(long_term.PurgeUserRequest, long_term.PurgeUserResponse)
    """Remove everything of a user."""
    erase_mentions = Unary(long_term.EraseMentionsRequest, long_term.EraseMentionsResponse)
    """Erase what conversations and long-term memory say of somebody or something."""
    export_collection = Down(
        long_term.ExportCollectionRequest,
        long_term.ExportCollectionResponse,
    )
    """Write a collection out as files, part by part."""
    import_collection = Up(
        long_term.ImportCollectionRequest,
        long_term.ImportCollectionResponse,
        header=long_term.ImportCollectionOptions,
        cut=pieces.of_collection,
    )
    """Make records of such files: the parts of an export."""
    export_user = Down(long_term.ExportUserRequest, long_term.ExportUserResponse)
    """Write out everything of a user as files, part by part."""
    import_user = Up(
        long_term.ImportUserRequest,
        long_term.ImportUserResponse,
        header=long_term.ImportUserOptions,
        cut=pieces.of_user,
    )
    """Make a user of such files, all of it or none: the parts of an export."""
    declare_tools = Unary(long_term.DeclareToolsRequest, long_term.DeclareToolsResponse)
    """Declare the tools that an agent may call by itself."""

    # ---- Operations: for those who run the service ----

    get_server_info = Unary(operations.GetServerInfoRequest, operations.GetServerInfoResponse)
    """Ask what answers: its version, what it holds, what waits and what runs out."""


METHODS = [shape.method for shape in vars(Verbs).values() if isinstance(shape, Unary | Down | Up | Both)]
