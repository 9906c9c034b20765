"""A whole task over the wire with the offline agents: from the user's prompt to the purge."""

from dataclasses import dataclass
from pathlib import Path

from grpc import StatusCode

from memorybank.v1.deep_retrieval_pb2 import GetInteractionResponse
from memorybank.v1.memory_bank_pb2 import (
    AdvanceTaskResponse,
    DeleteBankResponse,
    StartTaskResponse,
)
from memorybank.v1.query_graph_pb2 import GetNodeResponse
from memorybank.v1.retrieval_pb2 import (
    SEARCH_MODE_ATTRIBUTE,
    SEARCH_MODE_EMBEDDING,
    SEARCH_TARGET_NODES,
    AugmentResponse,
    SearchResponse,
)
from memorybank.v1.types_pb2 import (
    TASK_STATUS_FAILED,
    TASK_STATUS_SUCCEEDED,
    Attachment,
    Conflict,
    PendingTask,
    TaskReport,
)
from memorybank_client import MemoryBankClient, MemoryBankError
from service.assembly.server import running
from tests.support.hashing_embedder import HashingEmbedder
from tests.support.server import settings_for

BANK = "trip"
CONTEXT = "The museum of Naxos opened in 1998. Its director is Anna Lind."
QUESTION = "How long is the museum of Naxos open?"
TRANSCRIPT = (
    "Thought: the museum has a page of its own.\n"
    "Action: web_visit(museum.example)\n"
    "Observation: The museum of Naxos is open until 17:00. Its plan is [plan]."
)
OTHER = "The museum of Naxos is open until 20:00."
FERRY = "The ferry to Naxos leaves from pier 3."
VERDICT = "The museum of Naxos is open until 20:00."
PLAN = b"a picture of two floors"
GUIDE_URI = "https://museum.example/guide.pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The answers of the service, in the order of the scene."""

    bare: StartTaskResponse  # of another bank: a question without a context
    begun: StartTaskResponse
    planned: PendingTask  # what the prompt of the beginning asks for
    failed: AdvanceTaskResponse
    searched: AdvanceTaskResponse
    ferry: AdvanceTaskResponse
    mixed: SearchResponse
    by_words: SearchResponse
    by_meaning: SearchResponse
    augmented: AugmentResponse
    record: GetInteractionResponse
    picture: GetInteractionResponse
    contradicted: AdvanceTaskResponse
    conflict: Conflict
    sides: list[GetNodeResponse]
    next_prompt: AugmentResponse
    settled: AdvanceTaskResponse
    verified: GetNodeResponse
    kept: GetInteractionResponse
    ended: AdvanceTaskResponse
    purged: DeleteBankResponse
    gone: StatusCode


async def play(folder: Path) -> Task:
    async with (
        running(settings_for(folder), HashingEmbedder()) as address,
        MemoryBankClient(str(address)) as client,
    ):
        bare = await client.start_task(bank_id="bare", prompt=QUESTION)
        begun = await client.start_task(bank_id=BANK, prompt=f"{CONTEXT}\n\n{QUESTION}")
        planned = begun.insight.pending[0]
        failed = await _report(client, "SEARCH", "ask by telephone", "No answer.", status=TASK_STATUS_FAILED)
        await client.upload_attachment(
            PLAN, bank_id=BANK, attachment_id="plan", type="image", media_type="image/png"
        )
        searched = await _report(
            client,
            "SEARCH",
            "look up the museum's page",
            TRANSCRIPT,
            attachments=[
                Attachment(attachment_id="plan"),
                Attachment(attachment_id="guide", type="document", uri=GUIDE_URI),
                Attachment(attachment_id="script", type="code", uri="file:hours.py"),
            ],
        )
        ferry = await _report(client, "SEARCH", "look up the ferry", FERRY)
        (node_id,) = searched.node_ids
        query = "museum of Naxos open until"
        mixed = await client.search(bank_id=BANK, text=query, alpha=0.25, top_k=1, hops=1)
        by_words = await client.search(bank_id=BANK, text=query, mode=SEARCH_MODE_ATTRIBUTE)
        by_meaning = await client.search(bank_id=BANK, text=query, mode=SEARCH_MODE_EMBEDDING)
        augmented = await client.augment(bank_id=BANK, query=query, top_k=1, target=SEARCH_TARGET_NODES)
        record = await client.get_interaction(bank_id=BANK, node_id=node_id)
        picture = await client.get_interaction(bank_id=BANK, node_id=node_id, attachment_id="plan")
        contradicted = await _report(client, "SEARCH", "look at the city's page", OTHER)
        (conflict,) = (await client.list_conflicts(bank_id=BANK)).conflicts
        sides = [await client.get_node(bank_id=BANK, node_id=side.node_id) for side in conflict.sides]
        next_prompt = await client.augment(bank_id=BANK)
        settled = await client.advance_task(bank_id=BANK, text=VERDICT, conflict_id=conflict.conflict_id)
        verified = await client.get_node(bank_id=BANK, node_id=settled.node_ids[0])
        kept = await client.get_interaction(bank_id=BANK, node_id=conflict.sides[0].node_id)
        ended = await _until_finished(client, settled)
        purged = await client.delete_bank(bank_id=BANK)
        return Task(
            bare=bare,
            begun=begun,
            planned=planned,
            failed=failed,
            searched=searched,
            ferry=ferry,
            mixed=mixed,
            by_words=by_words,
            by_meaning=by_meaning,
            augmented=augmented,
            record=record,
            picture=picture,
            contradicted=contradicted,
            conflict=conflict,
            sides=sides,
            next_prompt=next_prompt,
            settled=settled,
            verified=verified,
            kept=kept,
            ended=ended,
            purged=purged,
            gone=await _refusal(client),
        )


async def _report(
    client: MemoryBankClient,
    kind: str,
    description: str,
    text: str,
    *,
    status: int = TASK_STATUS_SUCCEEDED,
    attachments: list[Attachment] | None = None,
) -> AdvanceTaskResponse:
    task = TaskReport(type=kind, description=description, status=status)  # type: ignore[arg-type]  # an enum's number
    return await client.advance_task(bank_id=BANK, text=text, task=task, attachments=attachments or [])


async def _until_finished(client: MemoryBankClient, step: AdvanceTaskResponse) -> AdvanceTaskResponse:
    """The steps that are planned, each reported as done; fails when they are too many."""
    for _ in range(8):
        if step.finished:
            break
        first = step.insight.pending[0]
        done = TaskReport(task_id=first.task_id, status=TASK_STATUS_SUCCEEDED)
        step = await client.advance_task(bank_id=BANK, text=VERDICT, task=done)
    assert step.finished
    return step


async def _refusal(client: MemoryBankClient) -> StatusCode:
    try:
        await client.get_bank(bank_id=BANK)
    except MemoryBankError as error:
        return error.code
    raise AssertionError("a purged bank is still there")
