"""Which operation on a memory each method is, in the words of the conventions for generative AI.

These are semantic-conventions-genai 0.1.0, whose status is Development: names may still change.

Law: every method that writes is in one of the two tables; a test compares them with the contract. A read that is in
none reads what is named, or lists it: that is no operation of the conventions.
"""

from collections.abc import Mapping

from google.protobuf.message import Message

SEARCH, CREATE, UPSERT = "search_memory", "create_memory", "upsert_memory"
UPDATE, DELETE = "update_memory", "delete_memory"
CREATE_STORE, DELETE_STORE = "create_memory_store", "delete_memory_store"

_METHODS = {
    SEARCH: "Search BatchSearch Augment AssembleContext SearchTurns RetrieveFacts RetrieveMemories RecallEpisodes "
    "FindRecoveries LoadSources",
    CREATE: "Memorize MemorizeStream AddNode BatchAddNodes AddTurns AddRecord StoreEpisode RecordRecovery AddKey "
    "AddWorkingItems AddInvocationSummary GenerateReflection UploadAttachment",
    UPSERT: "StoreFact PutRecord BatchPutRecords PutSource AdvanceTask ImportBank ImportCollection EndInvocation "
    "EndConversation",
    UPDATE: "UpdateNode UpdateRecord UpdateKey EditSource ConfirmConflict ResolveConflict MergeNodes Relate Unrelate "
    "UpdateInsight Restructure ReportOutcome GiveFeedback ReviewRecords RetractRecords ReleaseRetraction "
    "RetractInteractions ReleaseInteractions RetractTurns ReleaseTurns",
    DELETE: "EraseRetraction EraseInteractions EraseTurns EraseMentions "
    "DeleteNode DeleteTurns DeleteCluster DeleteRecords DeleteKey DeleteSummaries DeleteSource DeleteReflection",
    CREATE_STORE: "CreateBank StartTask CreateConversation StartInvocation ImportUser",
    DELETE_STORE: "DeleteBank DeleteConversation DeleteCollection PurgeUser",
}
OPERATIONS: Mapping[str, str] = {
    method: operation for operation, methods in _METHODS.items() for method in methods.split()
}
"""By the name of the method."""

NONE = frozenset("UpdateBank UpdateConversation UpdateCollection UpdateUser".split())
"""Methods that write and are no operation of the conventions: settings."""

_STORES = ("bank_id", "conversation_id", "collection")
_RECORDS = ("node_id", "record_id", "key_id", "interaction_id", "conflict_id", "reflection_id")


def store_id(request: Message) -> str:
    """Returns the memory that a request is about: its bank, conversation or collection; empty where it names none."""
    return _first(request, _STORES)


def record_id(request: Message) -> str:
    """Returns what in that memory it is about; empty where it names no single one."""
    return _first(request, _RECORDS)


def _first(request: Message, names: tuple[str, ...]) -> str:
    header = getattr(request, "header", None) if "header" in request.DESCRIPTOR.fields_by_name else None
    for message in filter(None, (request, header)):
        for name in names:
            if found := getattr(message, name, ""):
                return str(found)
    return ""
