"""What the contract promises of itself: complete, commented, uniform, and in the words of core."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from enum import StrEnum
from importlib import resources

import grpc
import pytest
from google.protobuf.descriptor import (
    Descriptor,
    EnumDescriptor,
    FieldDescriptor,
    MethodDescriptor,
    ServiceDescriptor,
)
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, MethodOptions

from core import errors
from core.model import bank, conflict, insight, instructions, interaction, lineage, node, structuring
from core.ports.store import PurgeCounts
from core.usecases.instructions import load_sources
from memorybank.v1 import (
    access_pb2,
    calls_pb2,
    conversation_pb2,
    deep_retrieval_pb2,
    errors_pb2,
    instructions_pb2,
    long_term_pb2,
    memory_bank_pb2,
    memory_bank_pb2_grpc,
    operations_pb2,
    options_pb2,
    query_graph_pb2,
    query_graph_pb2_grpc,
    retrieval_pb2,
    retrieval_pb2_grpc,
    types_pb2,
)

FILES = resources.files("memorybank.v1")
MODULES = (
    access_pb2,
    calls_pb2,
    options_pb2,
    types_pb2,
    errors_pb2,
    memory_bank_pb2,
    query_graph_pb2,
    retrieval_pb2,
    deep_retrieval_pb2,
    conversation_pb2,
    instructions_pb2,
    long_term_pb2,
    operations_pb2,
)
SERVICES: tuple[ServiceDescriptor, ...] = tuple(
    service for module in MODULES for service in module.DESCRIPTOR.services_by_name.values()
)
METHODS: tuple[MethodDescriptor, ...] = tuple(method for service in SERVICES for method in service.methods)
CODES = {code.name for code in grpc.StatusCode}


def is_read(method: MethodDescriptor) -> bool:
    return bool(method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS)


def is_idempotent(method: MethodDescriptor) -> bool:
    """Harmless to repeat without a request_id: by what it names, or as a read that only counts what it found."""
    return bool(method.GetOptions().idempotency_level == MethodOptions.IDEMPOTENT)


def described() -> FileDescriptorSet:
    return FileDescriptorSet.FromString(FILES.joinpath("memorybank.binpb").read_bytes())


def full_names(methods: Iterator[MethodDescriptor]) -> list[str]:
    return [method.full_name for method in methods]


# ---- complete ----


def test_no_two_calls_share_a_message() -> None:
    names = [name for method in METHODS for name in (method.input_type.name, method.output_type.name)]

    expected = [name for method in METHODS for name in (f"{method.name}Request", f"{method.name}Response")]

    assert names == expected


def test_the_descriptor_set_holds_the_same_contract_as_the_stubs() -> None:
    shipped = {file.name: without_what_stubs_leave_out(file) for file in described().file}

    for module in MODULES:
        stub = FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(stub)
        assert shipped[stub.name] == stub


def test_stubs_of_other_languages_have_one_package_and_a_file_for_each_message() -> None:
    for module in MODULES:
        options = module.DESCRIPTOR.GetOptions()
        assert options.go_package == "memorybank/v1;memorybankv1"
        assert (options.java_package, options.java_multiple_files) == ("memorybank.v1", True)


def without_what_stubs_leave_out(file: FileDescriptorProto) -> FileDescriptorProto:
    """Comments, and the JSON names, which follow from the names."""
    bare = FileDescriptorProto()
    bare.CopyFrom(file)
    bare.ClearField("source_code_info")
    for extension in bare.extension:
        extension.ClearField("json_name")
    for message in bare.message_type:
        for each in (message, *message.nested_type):
            for field in each.field:
                field.ClearField("json_name")
    return bare


def test_every_element_of_the_contract_is_commented() -> None:
    ours = [file for file in described().file if file.package == "memorybank.v1"]

    bare = [
        name
        for file, with_comment in ((file, commented(file)) for file in ours)
        for path, name in elements(file)
        if path not in with_comment
    ]

    assert bare == []


def commented(file: FileDescriptorProto) -> set[tuple[int, ...]]:
    return {tuple(at.path) for at in file.source_code_info.location if at.leading_comments.strip()}


def elements(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """The paths (as descriptor.proto numbers them) and names of all that a comment can stand before."""
    for m, message in enumerate(file.message_type):
        yield (4, m), message.name
        yield from (((4, m, 2, f), f"{message.name}.{field.name}") for f, field in enumerate(message.field))
        written = [oneof for oneof in message.oneof_decl if not oneof.name.startswith("_")]
        yield from (((4, m, 8, o), f"{message.name}.{oneof.name}") for o, oneof in enumerate(written))
    for e, enum in enumerate(file.enum_type):
        yield (5, e), enum.name
        yield from (((5, e, 2, v), value.name) for v, value in enumerate(enum.value))
    for s, service in enumerate(file.service):
        yield (6, s), service.name
        yield from (
            ((6, s, 2, r), f"{service.name}.{method.name}") for r, method in enumerate(service.method)
        )


# ---- uniform ----


def field_names(message: Descriptor | None) -> set[str]:
    return set(message.fields_by_name) if message else set()


def first_message(method: MethodDescriptor) -> Descriptor | None:
    """What opens the call: the request, or in a client stream the message that its first part carries."""
    request = method.input_type
    return request.fields[0].message_type if method.client_streaming else request


def last_message(method: MethodDescriptor) -> Descriptor | None:
    """What answers the call: the response, or what stands in the last message of a stream of events."""
    if method.name == "MemorizeStream":
        return method.output_type.fields_by_name["result"].message_type
    return method.output_type


def test_every_mutation_can_be_repeated_without_harm() -> None:
    mutations = [method for method in METHODS if not is_read(method) and not is_idempotent(method)]

    unsafe = [
        method.full_name
        for method in mutations
        if "request_id" not in field_names(first_message(method))
        or "replayed" not in field_names(last_message(method))
    ]

    assert unsafe == []


def test_every_answer_about_a_bank_tells_its_revision() -> None:
    untold = full_names(m for m in METHODS if "revision" not in field_names(last_message(m)))

    # each that is listed has its own; an export's stands in its header; several subjects' in a map; files,
    # declarations and servers are of no revision
    assert untold == [
        "memorybank.v1.MemoryBank.ListBanks",
        "memorybank.v1.MemoryBank.ExportBank",
        "memorybank.v1.Retrieval.AssembleContext",
        "memorybank.v1.Retrieval.Explain",
        "memorybank.v1.Conversation.ListConversations",
        "memorybank.v1.Instructions.LoadSources",
        "memorybank.v1.LongTerm.ExportFeedback",
        "memorybank.v1.LongTerm.ListCollections",
        "memorybank.v1.LongTerm.ExportCollection",
        "memorybank.v1.LongTerm.DeclareTools",
        "memorybank.v1.LongTerm.ListUsers",
        "memorybank.v1.LongTerm.ExportUser",
        "memorybank.v1.Operations.GetServerInfo",
    ]


def test_every_read_of_a_bank_may_ask_for_a_revision() -> None:
    reads = (method for method in METHODS if is_read(method))

    without = full_names(m for m in reads if "min_revision" not in m.input_type.fields_by_name)

    # lists read no single one, the watch follows from a revision of its own, declarations are the same for all, and a
    # server is of no revision; of several subjects there is a map
    assert without == [
        "memorybank.v1.MemoryBank.ListBanks",
        "memorybank.v1.MemoryBank.WatchBank",
        "memorybank.v1.Retrieval.Explain",
        "memorybank.v1.Conversation.ListConversations",
        "memorybank.v1.LongTerm.ListCollections",
        "memorybank.v1.LongTerm.DeclareTools",
        "memorybank.v1.LongTerm.ListUsers",
        "memorybank.v1.Operations.GetServerInfo",
    ]


def test_what_absence_means_something_of_is_optional() -> None:
    told_apart = {
        "top_k",
        "alpha",
        "chunk_ratio",
        "validation_floor",
        "judge_assistants",
        "min_score",
        "hops",
        "max_neighbors",
    }
    told_apart |= {"min_revision", "if_revision", "from_revision", "token_budget"}

    blurred = [
        field.full_name
        for module in MODULES
        for message in module.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if field.name in told_apart and not field.has_presence
    ]

    assert blurred == []


def test_every_list_pages() -> None:
    lists = [method for method in METHODS if method.name.startswith("List") or method.name == "GetLineage"]

    unpaged = [
        method.full_name
        for method in lists
        if not {"page_size", "page_token"} <= set(method.input_type.fields_by_name)
        or "next_page_token" not in method.output_type.fields_by_name
    ]

    assert unpaged == []


# ---- access ----

NAMING = {
    "user",
    "bank_id",
    "collection",
    "conversation_id",
    "invocation_id",
    "run_id",
    "agent",
    "project",
    "owner",
}
"""Fields of these names say whose memory a message is about. One of another name is found by its review alone."""
AUTHORS = {"memorybank.v1.Record.agent"}
"""Fields of such a name that name nothing: which agent wrote a record."""


def test_every_method_says_which_scopes_it_needs() -> None:
    silent = [
        method.full_name for method in METHODS if not method.GetOptions().Extensions[access_pb2.access].scopes
    ]

    assert silent == []


def test_what_changes_nothing_needs_no_scope_to_write_and_what_changes_needs_one() -> None:
    """But for what tells of all of the tenant, which is for its admin alone."""
    changing = {access_pb2.SCOPE_WRITE, access_pb2.SCOPE_APPROVE, access_pb2.SCOPE_ADMIN}
    wrong = [
        method.full_name
        for method in METHODS
        if not is_idempotent(method)
        and not method.GetOptions().Extensions[access_pb2.access].whole_tenant
        and is_read(method) is bool(changing & set(method.GetOptions().Extensions[access_pb2.access].scopes))
    ]

    assert wrong == []


def messages_within(message: Descriptor, seen: set[str]) -> Iterator[Descriptor]:
    if message.full_name not in seen:
        seen.add(message.full_name)
        yield message
        for field in message.fields:
            if field.message_type is not None:
                yield from messages_within(field.message_type, seen)


def test_every_field_of_a_request_that_names_something_says_what() -> None:
    seen: set[str] = set()
    unmarked = [
        field.full_name
        for method in METHODS
        for message in messages_within(method.input_type, seen)
        for field in message.fields
        if field.name in NAMING
        and field.type == FieldDescriptor.TYPE_STRING
        and not field.GetOptions().Extensions[access_pb2.names]
        and field.full_name not in AUTHORS
    ]

    assert unmarked == []


# ---- errors ----


def reason_of(error: type) -> str:
    return "ERROR_REASON_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", error.__name__).upper()


def of_core() -> list[type[errors.MemoryBankError]]:
    """The errors of core; the transport adds some of its own."""
    families = (errors.AggregateNotFound, errors.AggregateExists)
    kinds = [kind for family in (errors.MemoryBankError, *families) for kind in family.__subclasses__()]
    return [kind for kind in kinds if kind.__module__ == errors.__name__ and kind not in families]


def test_every_error_of_core_has_its_reason_and_the_rest_are_the_wires_own() -> None:
    raised = {reason_of(error) for error in of_core()}
    of_the_wire = {"UNSPECIFIED", "UNDECODABLE_REQUEST", "MESSAGE_TOO_LARGE"}
    of_the_wire |= {
        "STARTING",
        "SHUTTING_DOWN",
        "DEADLINE_EXCEEDED",
        "DEFECT",
        "UNAUTHENTICATED",
        "RATE_LIMITED",
    }

    reasons = set(errors_pb2.ErrorReason.keys())

    assert reasons == raised | {f"ERROR_REASON_{name}" for name in of_the_wire}


def test_every_reason_tells_its_code() -> None:
    file = next(file for file in described().file if file.name.endswith("/errors.proto"))
    comments = {tuple(at.path): at.leading_comments.strip() for at in file.source_code_info.location}

    codeless = [
        value.name
        for number, value in enumerate(file.enum_type[0].value)
        if number and re.split(r"[. ]", comments[5, 0, 2, number])[0] not in CODES
    ]

    assert codeless == []


def test_every_attribute_of_an_error_is_named_among_its_reasons_metadata() -> None:
    file = next(file for file in described().file if file.name.endswith("/errors.proto"))
    comments = {tuple(at.path): at.leading_comments for at in file.source_code_info.location}
    comment = {value.name: comments[5, 0, 2, i] for i, value in enumerate(file.enum_type[0].value)}
    for_logs = {"cause", "step", "is_damage"}

    unnamed = [
        f"{error.__name__}.{field.name}"
        for error in of_core()
        for field in fields(error)
        if field.name not in for_logs and f"`{field.name}`" not in comment[reason_of(error)]
    ]

    assert unnamed == []


# ---- in the words of core ----


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        (node.NodeState, types_pb2.NodeState.DESCRIPTOR),
        (interaction.TaskStatus, types_pb2.TaskStatus.DESCRIPTOR),
        (insight.TaskOutcome, types_pb2.TaskOutcome.DESCRIPTOR),
        (interaction.InteractionOrigin, types_pb2.InteractionOrigin.DESCRIPTOR),
        (conflict.ConflictStatus, types_pb2.ConflictStatus.DESCRIPTOR),
        (lineage.MergeReason, types_pb2.MergeReason.DESCRIPTOR),
        (structuring.StructuringState, types_pb2.StructuringState.DESCRIPTOR),
        (structuring.Purpose, types_pb2.Purpose.DESCRIPTOR),
        (bank.SpaceSource, types_pb2.SpaceSource.DESCRIPTOR),
        (load_sources.MissingReason, instructions_pb2.MissingReason.DESCRIPTOR),
    ],
)
def test_an_enum_has_the_same_values_on_the_wire(spoken: type[StrEnum], written: EnumDescriptor) -> None:
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", written.name).upper()

    expected = [f"{prefix}_UNSPECIFIED", *(f"{prefix}_{value.name}" for value in spoken)]

    assert list(written.values_by_name) == expected


@pytest.mark.parametrize(
    ("spoken", "written", "elsewhere"),
    [
        (node.Node, types_pb2.Node, set()),
        (interaction.Attachment, types_pb2.Attachment, set()),
        (interaction.TaskReport, types_pb2.TaskReport, set()),
        (interaction.Span, types_pb2.Span, set()),
        (interaction.Interaction, types_pb2.Interaction, {"spans"}),  # segments
        (
            interaction.Segment,
            types_pb2.Segment,
            {"ref", "of_failure"},
        ),  # interaction_id, index; prompts alone tell
        (insight.Insight, types_pb2.Insight, set()),
        (insight.PendingTask, types_pb2.PendingTask, set()),
        (insight.CompletedTask, types_pb2.CompletedTask, set()),
        (conflict.Side, types_pb2.Side, set()),
        (conflict.Conflict, types_pb2.Conflict, set()),
        (lineage.MergeRecord, types_pb2.MergeRecord, {"into"}),  # into_node_id
        (structuring.Structuring, types_pb2.Structuring, set()),
        (structuring.ClusterWork, types_pb2.ClusterWork, set()),
        (structuring.Outcome, types_pb2.Outcome, {"reworded"}),  # what the service notes for itself
        (structuring.MergeMade, types_pb2.MergeMade, set()),
        (bank.EmbeddingSpace, types_pb2.EmbeddingSpace, set()),
        (bank.RetrievalSettings, types_pb2.Bank, set()),
        (
            bank.BankRecord,
            types_pb2.Bank,
            {"key", "space", "settings", "unembedded", "lists_unembedded", "due_time"},
        ),  # bank_id, embedding_space, its fields; what the service notes for itself
        (instructions.Source, instructions_pb2.Source, {"first_version"}),
        (PurgeCounts, memory_bank_pb2.PurgeCounts, {"items"}),  # of other kinds than the bank
    ],
)
def test_a_value_has_the_same_fields_on_the_wire(
    spoken: type, written: type[types_pb2.Node], elsewhere: set[str]
) -> None:
    names = {field.name for field in fields(spoken)}

    missing = names - elsewhere - set(written.DESCRIPTOR.fields_by_name)

    assert missing == set()


# ---- tried again ----


@dataclass
class FailsFirst:
    """A server of three calls that is unavailable the first time each is asked."""

    asked: dict[str, int]

    async def answer(self, name: str, response: bytes, context: grpc.aio.ServicerContext) -> bytes:  # type: ignore[type-arg]
        self.asked[name] = self.asked.get(name, 0) + 1
        if self.asked[name] == 1:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not yet")
        return response


@asynccontextmanager
async def serving(scene: FailsFirst) -> AsyncIterator[grpc.aio.Channel]:
    async def search(_: bytes, context: grpc.aio.ServicerContext) -> bytes:  # type: ignore[type-arg]
        return await scene.answer(
            "Search", retrieval_pb2.SearchResponse(revision=7).SerializeToString(), context
        )

    async def delete(_: bytes, context: grpc.aio.ServicerContext) -> bytes:  # type: ignore[type-arg]
        return await scene.answer("DeleteNode", b"", context)

    async def purge(_: bytes, context: grpc.aio.ServicerContext) -> bytes:  # type: ignore[type-arg]
        return await scene.answer("DeleteBank", b"", context)

    server = grpc.aio.server()
    for service, name, act in (
        ("Retrieval", "Search", search),
        ("QueryGraph", "DeleteNode", delete),
        ("MemoryBank", "DeleteBank", purge),
    ):
        handler = grpc.method_handlers_generic_handler(
            f"memorybank.v1.{service}", {name: grpc.unary_unary_rpc_method_handler(act)}
        )
        server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    config = FILES.joinpath("service_config.json").read_text(encoding="utf-8")
    async with grpc.aio.insecure_channel(
        f"127.0.0.1:{port}", options=[("grpc.service_config", config)]
    ) as channel:
        yield channel
    await server.stop(None)


def test_the_service_config_repeats_every_call_but_the_two_purges_that_forget_their_requests() -> None:
    config = json.loads(FILES.joinpath("service_config.json").read_text(encoding="utf-8"))
    repeated, once = config["methodConfig"]

    assert {name["service"] for name in repeated["name"]} == {m.containing_service.full_name for m in METHODS}
    assert {name["method"] for name in once["name"]} == {"DeleteBank", "DeleteCollection"}
    assert ("retryPolicy" in repeated, "retryPolicy" in once) == (True, False)


async def test_under_the_service_config_a_read_is_tried_again_when_a_replica_is_unavailable() -> None:
    scene = FailsFirst(asked={})

    async with serving(scene) as channel:
        answer = await retrieval_pb2_grpc.RetrievalStub(channel).Search(
            retrieval_pb2.SearchRequest(bank_id="b")
        )

    assert answer.revision == 7
    assert scene.asked == {"Search": 2}


async def test_under_the_service_config_a_mutation_is_tried_again_and_a_purge_is_not() -> None:
    scene = FailsFirst(asked={})

    async with serving(scene) as channel:
        await query_graph_pb2_grpc.QueryGraphStub(channel).DeleteNode(query_graph_pb2.DeleteNodeRequest())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await memory_bank_pb2_grpc.MemoryBankStub(channel).DeleteBank(memory_bank_pb2.DeleteBankRequest())

    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert scene.asked == {"DeleteNode": 2, "DeleteBank": 1}


def test_the_messages_that_errors_carry_can_be_made_from_protos_that_are_here() -> None:
    told = (resources.files("google.rpc") / "error_details.proto").read_text(encoding="utf-8")

    assert (resources.files("google.rpc") / "status.proto").is_file()
    for name in ("ErrorInfo", "BadRequest", "RetryInfo", "QuotaFailure"):
        assert f"message {name} {{" in told
