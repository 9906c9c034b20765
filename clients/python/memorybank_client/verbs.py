"""The verbs of both clients: one for each RPC of the contract. `make proto` writes this file.

`help()` shows a verb's keywords, and what its fields and errors mean.
"""

from memorybank.v1 import (
    conversation_pb2,
    deep_retrieval_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    operations_pb2,
    query_graph_pb2,
    retrieval_pb2,
)
from memorybank_client import pieces
from memorybank_client.shapes import Both, Down, Unary, Up


class Verbs:
    """What can be asked of the service. Streamed verbs take what is streamed first, the rest are keywords alone."""

    # ---- Conversation ----

    create_conversation = Unary(
        conversation_pb2.CreateConversationRequest,
        conversation_pb2.CreateConversationResponse,
    )
    """Makes a conversation."""
    get_conversation = Unary(
        conversation_pb2.GetConversationRequest,
        conversation_pb2.GetConversationResponse,
    )
    """Reads a conversation and how much it holds."""
    list_conversations = Unary(
        conversation_pb2.ListConversationsRequest,
        conversation_pb2.ListConversationsResponse,
    )
    """Lists a user's conversations by id."""
    update_conversation = Unary(
        conversation_pb2.UpdateConversationRequest,
        conversation_pb2.UpdateConversationResponse,
    )
    """Changes goal, labels, settings, the switch or the ttl."""
    end_conversation = Unary(
        conversation_pb2.EndConversationRequest,
        conversation_pb2.EndConversationResponse,
    )
    """Ends a conversation: turns without a summary get one now, not at the next full stretch, those that were
    not looked through for facts are, and one that had a goal, or runs that called several tools, becomes an
    episode."""
    delete_conversation = Unary(
        conversation_pb2.DeleteConversationRequest,
        conversation_pb2.DeleteConversationResponse,
    )
    """Purges a conversation; nothing of it remains."""
    add_turns = Unary(conversation_pb2.AddTurnsRequest, conversation_pb2.AddTurnsResponse)
    """Adds turns, all or none, and makes a conversation that is not there."""
    list_turns = Unary(conversation_pb2.ListTurnsRequest, conversation_pb2.ListTurnsResponse)
    """Lists turns in step order."""
    delete_turns = Unary(conversation_pb2.DeleteTurnsRequest, conversation_pb2.DeleteTurnsResponse)
    """Deletes turns and at once all that rests on them: clusters shrink, summaries over them and keys of the
    system that rest on them go; summaries are made anew from what is left."""
    retract_turns = Unary(conversation_pb2.RetractTurnsRequest, conversation_pb2.RetractTurnsResponse)
    """Takes turns back with all that rests on them: in one change they are out of every answer, prompt and
    list, and kept for ReleaseTurns until EraseTurns."""
    release_turns = Unary(conversation_pb2.ReleaseTurnsRequest, conversation_pb2.ReleaseTurnsResponse)
    """Brings back what was taken, with what it taught long-term memory: turns under their steps, in their
    clusters; summaries that tell of other turns meanwhile are made anew."""
    erase_turns = Unary(conversation_pb2.EraseTurnsRequest, conversation_pb2.EraseTurnsResponse)
    """Erases what was taken, for good, with what it taught: no word stays, steps and counts do."""
    list_turn_retractions = Unary(
        conversation_pb2.ListTurnRetractionsRequest,
        conversation_pb2.ListTurnRetractionsResponse,
    )
    """Lists what was taken back, by id, which is by time: what is in quarantine, and the newest 100 that were
    closed."""
    search_turns = Unary(conversation_pb2.SearchTurnsRequest, conversation_pb2.SearchTurnsResponse)
    """Finds turns of every tier by words, meaning and place, as segments of a bank are found; in one
    conversation, or in all of a user's."""
    add_key = Unary(conversation_pb2.AddKeyRequest, conversation_pb2.AddKeyResponse)
    """Adds a short statement that every prompt shows, and makes a conversation that is not there."""
    update_key = Unary(conversation_pb2.UpdateKeyRequest, conversation_pb2.UpdateKeyResponse)
    """Rewords a key; one of the system becomes one of the user."""
    delete_key = Unary(conversation_pb2.DeleteKeyRequest, conversation_pb2.DeleteKeyResponse)
    """Deletes a key."""
    list_keys = Unary(conversation_pb2.ListKeysRequest, conversation_pb2.ListKeysResponse)
    """Lists keys as prompts show them: those of the user first, then those of the system, each oldest
    first."""
    list_clusters = Unary(conversation_pb2.ListClustersRequest, conversation_pb2.ListClustersResponse)
    """Lists the clusters of older turns, by their first step."""
    delete_cluster = Unary(conversation_pb2.DeleteClusterRequest, conversation_pb2.DeleteClusterResponse)
    """Deletes a cluster, with its hits and the key of the system that was made of it."""
    list_summaries = Unary(conversation_pb2.ListSummariesRequest, conversation_pb2.ListSummariesResponse)
    """Lists summaries in step order."""
    delete_summaries = Unary(
        conversation_pb2.DeleteSummariesRequest,
        conversation_pb2.DeleteSummariesResponse,
    )
    """Deletes summaries; they are not made anew, and their turns stay."""
    start_invocation = Unary(
        conversation_pb2.StartInvocationRequest,
        conversation_pb2.StartInvocationResponse,
    )
    """Begins one run of an agent, with a working memory of its own, and makes a conversation that is not
    there."""
    add_working_items = Unary(
        conversation_pb2.AddWorkingItemsRequest,
        conversation_pb2.AddWorkingItemsResponse,
    )
    """Adds what the agent thought, did and saw."""
    get_working_memory = Unary(
        conversation_pb2.GetWorkingMemoryRequest,
        conversation_pb2.GetWorkingMemoryResponse,
    )
    """Reads the working memory within its tokens: the last steps, and one text for what came before."""
    end_invocation = Unary(conversation_pb2.EndInvocationRequest, conversation_pb2.EndInvocationResponse)
    """Ends an invocation."""
    add_invocation_summary = Unary(
        conversation_pb2.AddInvocationSummaryRequest,
        conversation_pb2.AddInvocationSummaryResponse,
    )
    """Adds what a run left that the service kept no working memory of, and makes a conversation that is not
    there; one of the same invocation is replaced."""
    list_invocations = Unary(
        conversation_pb2.ListInvocationsRequest,
        conversation_pb2.ListInvocationsResponse,
    )
    """Lists what invocations left in a conversation, oldest first."""

    # ---- DeepRetrieval ----

    get_interaction = Unary(
        deep_retrieval_pb2.GetInteractionRequest,
        deep_retrieval_pb2.GetInteractionResponse,
    )
    """Reads the verbatim records of a node, or one of them."""
    list_interactions = Unary(
        deep_retrieval_pb2.ListInteractionsRequest,
        deep_retrieval_pb2.ListInteractionsResponse,
    )
    """Lists verbatim records without their texts, oldest first by create_time, then by id."""
    read_attachment = Down(
        deep_retrieval_pb2.ReadAttachmentRequest,
        deep_retrieval_pb2.ReadAttachmentResponse,
    )
    """Reads a file that the service keeps."""
    get_lineage = Unary(deep_retrieval_pb2.GetLineageRequest, deep_retrieval_pb2.GetLineageResponse)
    """Tells what a node absorbed, when, why, and on whose verdict, down to the first nodes."""

    # ---- Instructions ----

    put_source = Unary(instructions_pb2.PutSourceRequest, instructions_pb2.PutSourceResponse)
    """Creates a source, or makes `text` its newest version."""
    get_source = Unary(instructions_pb2.GetSourceRequest, instructions_pb2.GetSourceResponse)
    """Reads a source with its text."""
    list_sources = Unary(instructions_pb2.ListSourcesRequest, instructions_pb2.ListSourcesResponse)
    """Lists an owner's sources by path, without texts."""
    list_versions = Unary(instructions_pb2.ListVersionsRequest, instructions_pb2.ListVersionsResponse)
    """Lists the versions of a source that are kept, newest first, without texts."""
    edit_source = Unary(instructions_pb2.EditSourceRequest, instructions_pb2.EditSourceResponse)
    """Replaces a passage of the newest version, which makes the next one."""
    delete_source = Unary(instructions_pb2.DeleteSourceRequest, instructions_pb2.DeleteSourceResponse)
    """Erases a source with all its versions."""
    load_sources = Unary(instructions_pb2.LoadSourcesRequest, instructions_pb2.LoadSourcesResponse)
    """Loads sources, in the order asked for, as one block for an agent's system message."""

    # ---- LongTerm ----

    store_fact = Unary(long_term_pb2.StoreFactRequest, long_term_pb2.StoreFactResponse)
    """Stores a fact: durable and found at once, then judged against the nearest facts, which it may repeat or
    contest."""
    retrieve_facts = Unary(long_term_pb2.RetrieveFactsRequest, long_term_pb2.RetrieveFactsResponse)
    """Finds facts by similarity × weight × decay."""
    store_episode = Unary(long_term_pb2.StoreEpisodeRequest, long_term_pb2.StoreEpisodeResponse)
    """Stores an episode: what was tried, how, and what came of it."""
    recall_episodes = Unary(long_term_pb2.RecallEpisodesRequest, long_term_pb2.RecallEpisodesResponse)
    """Finds episodes like a query, and like the state of affairs; not a conversation's where those of all its
    runs are found."""
    add_record = Unary(long_term_pb2.AddRecordRequest, long_term_pb2.AddRecordResponse)
    """Stores a record of any kind."""
    put_record = Unary(long_term_pb2.PutRecordRequest, long_term_pb2.PutRecordResponse)
    """Stores a MEMORY under the id that its caller chose, whether or not one has it: all that a caller sets
    is replaced, what is absent has its default."""
    batch_put_records = Unary(long_term_pb2.BatchPutRecordsRequest, long_term_pb2.BatchPutRecordsResponse)
    """Does the same with many records, and deletes others, in one change: all or none."""
    get_record = Unary(long_term_pb2.GetRecordRequest, long_term_pb2.GetRecordResponse)
    """Reads a record."""
    update_record = Unary(long_term_pb2.UpdateRecordRequest, long_term_pb2.UpdateRecordResponse)
    """Changes a record."""
    list_records = Unary(long_term_pb2.ListRecordsRequest, long_term_pb2.ListRecordsResponse)
    """Lists records by id."""
    delete_records = Unary(long_term_pb2.DeleteRecordsRequest, long_term_pb2.DeleteRecordsResponse)
    """Erases records with their feedback; reflections over them are made anew."""
    review_records = Unary(long_term_pb2.ReviewRecordsRequest, long_term_pb2.ReviewRecordsResponse)
    """Settles records that wait for a review: approves them, corrects one, or rejects them."""
    retract_records = Unary(long_term_pb2.RetractRecordsRequest, long_term_pb2.RetractRecordsResponse)
    """Takes back what a source taught: in one change it is out of every answer, prompt and list, and kept for
    ReleaseRetraction until EraseRetraction."""
    release_retraction = Unary(
        long_term_pb2.ReleaseRetractionRequest,
        long_term_pb2.ReleaseRetractionResponse,
    )
    """Brings back what a retraction took, as it was, as far as nothing was decided about it meanwhile; what
    was told meanwhile is judged against it."""
    erase_retraction = Unary(long_term_pb2.EraseRetractionRequest, long_term_pb2.EraseRetractionResponse)
    """Erases what a retraction took, for good: no word of it stays, its counts do."""
    list_retractions = Unary(long_term_pb2.ListRetractionsRequest, long_term_pb2.ListRetractionsResponse)
    """Lists retractions by id, which is by time: those in quarantine, and the newest 100 that were closed."""
    retrieve_memories = Unary(long_term_pb2.RetrieveMemoriesRequest, long_term_pb2.RetrieveMemoriesResponse)
    """Finds records of any kind, routed by the query's intent and domain to the categories that can answer;
    without a sure domain, or with too few found, everything is searched."""
    record_recovery = Unary(long_term_pb2.RecordRecoveryRequest, long_term_pb2.RecordRecoveryResponse)
    """Records how a failed tool call was mended."""
    find_recoveries = Unary(long_term_pb2.FindRecoveriesRequest, long_term_pb2.FindRecoveriesResponse)
    """Finds recoveries for a failure, best match first, then by confidence, then by use."""
    report_outcome = Unary(long_term_pb2.ReportOutcomeRequest, long_term_pb2.ReportOutcomeResponse)
    """Tells whether reusing records helped: their confidence rises or falls."""
    give_feedback = Unary(long_term_pb2.GiveFeedbackRequest, long_term_pb2.GiveFeedbackResponse)
    """Gives a user's opinion on records: it moves their reward and confidence, and is kept for
    ExportFeedback."""
    export_feedback = Down(long_term_pb2.ExportFeedbackRequest, long_term_pb2.ExportFeedbackResponse)
    """Writes out preference pairs: answers to one query that were liked and disliked."""
    generate_reflection = Unary(
        long_term_pb2.GenerateReflectionRequest,
        long_term_pb2.GenerateReflectionResponse,
    )
    """Makes a reflection in Markdown over records."""
    get_reflection = Unary(long_term_pb2.GetReflectionRequest, long_term_pb2.GetReflectionResponse)
    """Reads a reflection."""
    list_reflections = Unary(long_term_pb2.ListReflectionsRequest, long_term_pb2.ListReflectionsResponse)
    """Lists reflections by id."""
    delete_reflection = Unary(long_term_pb2.DeleteReflectionRequest, long_term_pb2.DeleteReflectionResponse)
    """Deletes a reflection; its records stay."""
    get_collection = Unary(long_term_pb2.GetCollectionRequest, long_term_pb2.GetCollectionResponse)
    """Reads a collection's settings and counts."""
    update_collection = Unary(long_term_pb2.UpdateCollectionRequest, long_term_pb2.UpdateCollectionResponse)
    """Changes a collection's settings; a missing one is made."""
    list_collections = Unary(long_term_pb2.ListCollectionsRequest, long_term_pb2.ListCollectionsResponse)
    """Lists a user's collections by name."""
    delete_collection = Unary(long_term_pb2.DeleteCollectionRequest, long_term_pb2.DeleteCollectionResponse)
    """Purges a collection: records, feedback, reflections, tombstones, feed."""
    export_collection = Down(long_term_pb2.ExportCollectionRequest, long_term_pb2.ExportCollectionResponse)
    """Writes a collection out as files: `memory.json`, and `reflections/ID.md` for each reflection and each
    record with a detail."""
    import_collection = Up(
        long_term_pb2.ImportCollectionRequest,
        long_term_pb2.ImportCollectionResponse,
        header=long_term_pb2.ImportCollectionOptions,
        cut=pieces.import_collection,
    )
    """Makes records of such files, all or none but for those refused as sensitive, which are named."""
    declare_tools = Unary(long_term_pb2.DeclareToolsRequest, long_term_pb2.DeclareToolsResponse)
    """Declares the tools that an agent may call by itself: RetrieveFacts, RecallEpisodes and StoreFact."""
    get_user = Unary(long_term_pb2.GetUserRequest, long_term_pb2.GetUserResponse)
    """Reads a user's settings, and how much is kept of the user."""
    list_users = Unary(long_term_pb2.ListUsersRequest, long_term_pb2.ListUsersResponse)
    """Lists the users for whom something was written, by name."""
    update_user = Unary(long_term_pb2.UpdateUserRequest, long_term_pb2.UpdateUserResponse)
    """Switches a user's memory off or on, and says how long it is kept."""
    purge_user = Unary(long_term_pb2.PurgeUserRequest, long_term_pb2.PurgeUserResponse)
    """Removes everything of a user: runs, invocations, conversations, collections, the user's own
    instructions, banks if asked for, and the user's record."""
    erase_mentions = Unary(long_term_pb2.EraseMentionsRequest, long_term_pb2.EraseMentionsResponse)
    """Erases what a user's conversations and long-term memory say of somebody or something: sentences of
    turns that hold one of the names are overwritten with as many █, so that no offset moves, metadata of
    these turns and such as hold one go, and what rested on these turns is made anew; records that hold one
    go, with a tombstone."""
    export_user = Down(long_term_pb2.ExportUserRequest, long_term_pb2.ExportUserResponse)
    """Writes out everything that is kept of a user, as files that people can read: see ExportUserResponse."""
    import_user = Up(
        long_term_pb2.ImportUserRequest,
        long_term_pb2.ImportUserResponse,
        header=long_term_pb2.ImportUserOptions,
        cut=pieces.import_user,
    )
    """Makes a user of such files, all of it or none: ids, steps, versions and times stay what they were,
    vectors are made anew."""

    # ---- MemoryBank ----

    create_bank = Unary(memory_bank_pb2.CreateBankRequest, memory_bank_pb2.CreateBankResponse)
    """Creates an empty bank, or gets the one that is there (`allow_existing`)."""
    get_bank = Unary(memory_bank_pb2.GetBankRequest, memory_bank_pb2.GetBankResponse)
    """Reads a bank's record, and how much it holds."""
    list_banks = Unary(memory_bank_pb2.ListBanksRequest, memory_bank_pb2.ListBanksResponse)
    """Lists the tenant's banks by id."""
    update_bank = Unary(memory_bank_pb2.UpdateBankRequest, memory_bank_pb2.UpdateBankResponse)
    """Changes a bank's record."""
    delete_bank = Unary(memory_bank_pb2.DeleteBankRequest, memory_bank_pb2.DeleteBankResponse)
    """Purges a bank: every row, index and file that the service wrote for it."""
    start_task = Unary(memory_bank_pb2.StartTaskRequest, memory_bank_pb2.StartTaskResponse)
    """Begins a task: creates the bank if it is missing, memorizes the context if there is any, plans the
    first step, and assembles the prompt for it."""
    advance_task = Unary(memory_bank_pb2.AdvanceTaskRequest, memory_bank_pb2.AdvanceTaskResponse)
    """Takes in what the framework just did: memorizes its context (of a CROSS_VALIDATION: settles the
    conflict by it), replans, and assembles the prompt for the next step, as StartTask does."""
    memorize = Unary(memory_bank_pb2.MemorizeRequest, memory_bank_pb2.MemorizeResponse)
    """Takes a context into the memory, verbatim first and durably, then as nodes; plans nothing but the
    cross-validation of what it contradicts."""
    memorize_stream = Both(
        memory_bank_pb2.MemorizeStreamRequest,
        memory_bank_pb2.MemorizeStreamResponse,
        header=memory_bank_pb2.MemorizeRequest,
        cut=pieces.memorize_stream,
    )
    """Memorize for a text larger than one message: its chunks go up, its progress comes down, its answer
    last."""
    upload_attachment = Up(
        memory_bank_pb2.UploadAttachmentRequest,
        memory_bank_pb2.UploadAttachmentResponse,
        header=memory_bank_pb2.UploadAttachmentHeader,
        cut=pieces.upload_attachment,
    )
    """Keeps a file for the bank, to be named by an interaction later."""
    restructure = Unary(memory_bank_pb2.RestructureRequest, memory_bank_pb2.RestructureResponse)
    """Finishes what an agent's failure, or WAIT_STORED, left unstructured."""
    list_conflicts = Unary(memory_bank_pb2.ListConflictsRequest, memory_bank_pb2.ListConflictsResponse)
    """Lists conflicts, oldest first."""
    resolve_conflict = Unary(memory_bank_pb2.ResolveConflictRequest, memory_bank_pb2.ResolveConflictResponse)
    """Closes a conflict: merges its sides by a verdict, or dismisses it."""
    confirm_conflict = Unary(memory_bank_pb2.ConfirmConflictRequest, memory_bank_pb2.ConfirmConflictResponse)
    """Makes a suspected conflict an open one: its sides are contested, and its validation is planned as any
    other's."""
    retract_interactions = Unary(
        memory_bank_pb2.RetractInteractionsRequest,
        memory_bank_pb2.RetractInteractionsResponse,
    )
    """Takes records back with all that rests on them: in one change nodes, edges, conflicts and verdicts on
    them, lineage, and what the plan says of them are out of every answer, and kept for ReleaseInteractions
    until EraseInteractions."""
    release_interactions = Unary(
        memory_bank_pb2.ReleaseInteractionsRequest,
        memory_bank_pb2.ReleaseInteractionsResponse,
    )
    """Brings back what was taken, as it was; a node or a plan that changed meanwhile stays as it is, and what
    came meanwhile is not judged against what comes back."""
    erase_interactions = Unary(
        memory_bank_pb2.EraseInteractionsRequest,
        memory_bank_pb2.EraseInteractionsResponse,
    )
    """Erases what was taken, for good: ids and counts stay."""
    list_interaction_retractions = Unary(
        memory_bank_pb2.ListInteractionRetractionsRequest,
        memory_bank_pb2.ListInteractionRetractionsResponse,
    )
    """Lists what was taken back, by id, which is by time."""
    get_insight = Unary(memory_bank_pb2.GetInsightRequest, memory_bank_pb2.GetInsightResponse)
    """Reads where the task stands."""
    update_insight = Unary(memory_bank_pb2.UpdateInsightRequest, memory_bank_pb2.UpdateInsightResponse)
    """Changes goal or plan."""
    watch_bank = Down(memory_bank_pb2.WatchBankRequest, memory_bank_pb2.WatchBankResponse)
    """Follows a bank: one message per revision, in order and without gaps, until the bank is deleted or the
    caller leaves."""
    export_bank = Down(memory_bank_pb2.ExportBankRequest, memory_bank_pb2.ExportBankResponse)
    """Writes out all of a bank as of one revision; importing it gives the same bank again."""
    import_bank = Up(
        memory_bank_pb2.ImportBankRequest,
        memory_bank_pb2.ImportBankResponse,
        header=memory_bank_pb2.ImportOptions,
        cut=pieces.import_bank,
    )
    """Creates a bank from the records of an export, all or none."""

    # ---- Operations ----

    get_server_info = Unary(operations_pb2.GetServerInfoRequest, operations_pb2.GetServerInfoResponse)
    """Tells what answers, how large it is, what waits and what runs out."""

    # ---- QueryGraph ----

    add_node = Unary(query_graph_pb2.AddNodeRequest, query_graph_pb2.AddNodeResponse)
    """Adds a node."""
    batch_add_nodes = Unary(query_graph_pb2.BatchAddNodesRequest, query_graph_pb2.BatchAddNodesResponse)
    """Adds nodes, all or none, in one revision."""
    get_node = Unary(query_graph_pb2.GetNodeRequest, query_graph_pb2.GetNodeResponse)
    """Reads a node."""
    list_nodes = Unary(query_graph_pb2.ListNodesRequest, query_graph_pb2.ListNodesResponse)
    """Lists nodes by id."""
    update_node = Unary(query_graph_pb2.UpdateNodeRequest, query_graph_pb2.UpdateNodeResponse)
    """Changes a node; a new summary, context or keywords re-embed it."""
    delete_node = Unary(query_graph_pb2.DeleteNodeRequest, query_graph_pb2.DeleteNodeResponse)
    """Removes a node and its edges; its interactions stay."""
    relate = Unary(query_graph_pb2.RelateRequest, query_graph_pb2.RelateResponse)
    """Makes two nodes related."""
    unrelate = Unary(query_graph_pb2.UnrelateRequest, query_graph_pb2.UnrelateResponse)
    """Makes two nodes unrelated."""
    list_neighbors = Unary(query_graph_pb2.ListNeighborsRequest, query_graph_pb2.ListNeighborsResponse)
    """Lists the nodes around a node, nearest first, then by id."""
    merge_nodes = Unary(query_graph_pb2.MergeNodesRequest, query_graph_pb2.MergeNodesResponse)
    """Merges nodes into a new one that inherits their neighbours and interactions; the neighbours are
    reworded."""

    # ---- Retrieval ----

    search = Unary(retrieval_pb2.SearchRequest, retrieval_pb2.SearchResponse)
    """Finds nodes or segments by words, meaning or both, with the neighbourhood of what was found."""
    batch_search = Unary(retrieval_pb2.BatchSearchRequest, retrieval_pb2.BatchSearchResponse)
    """Does several searches of one bank at one revision."""
    augment = Unary(retrieval_pb2.AugmentRequest, retrieval_pb2.AugmentResponse)
    """Assembles what an agent should have before it for its next step: the deep retrieval tool, the insight
    document and the memories that fit."""
    assemble_context = Unary(retrieval_pb2.AssembleContextRequest, retrieval_pb2.AssembleContextResponse)
    """Assembles one prompt for an input out of all memories, within a budget."""
    explain = Unary(retrieval_pb2.ExplainRequest, retrieval_pb2.ExplainResponse)
    """Tells why a memory stands in a context, or why it does not and which change of the request lets it
    stand: the context is assembled again, with the change."""
    explain_pair = Unary(retrieval_pb2.ExplainPairRequest, retrieval_pb2.ExplainPairResponse)
    """Tells what the offline Judge makes of two memories now (they contradict each other, say the same, or
    neither), what decides it, which sentences it compares, and what stands between the two."""


METHODS = [shape.method for shape in vars(Verbs).values() if isinstance(shape, Unary | Down | Up | Both)]
