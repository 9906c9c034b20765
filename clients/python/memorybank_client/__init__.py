"""The Python client of Agentic Memory Bank: it speaks the contract and imports nothing of the server.

`MemoryBankClient` is asynchronous, `SyncMemoryBankClient` its twin; both have a verb for each RPC. Messages and enums
are the contract's own (`memorybank.v1.types_pb2`).
"""

from memorybank.v1.errors_pb2 import ErrorReason
from memorybank_client.chat import AsyncChatMemory, ChatMemory
from memorybank_client.client import MemoryBankClient, SyncMemoryBankClient
from memorybank_client.errors import (
    AlreadyExists,
    Cancelled,
    DataLoss,
    DeadlineExceeded,
    FailedPrecondition,
    FieldViolation,
    Internal,
    InvalidArgument,
    MemoryBankError,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    StaleRevision,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)
from memorybank_client.messages import chat_messages
from memorybank_client.runs import AsyncRun, Owner, Run
from memorybank_client.values import NEVER, numbers, timestamp, vector

__all__ = [
    "MemoryBankClient",
    "SyncMemoryBankClient",
    "ChatMemory",
    "AsyncChatMemory",
    "Run",
    "AsyncRun",
    "Owner",
    "chat_messages",
    "vector",
    "numbers",
    "timestamp",
    "NEVER",
    "MemoryBankError",
    "ErrorReason",
    "FieldViolation",
    "InvalidArgument",
    "NotFound",
    "AlreadyExists",
    "FailedPrecondition",
    "OutOfRange",
    "StaleRevision",
    "ResourceExhausted",
    "Unavailable",
    "DeadlineExceeded",
    "Cancelled",
    "Unauthenticated",
    "PermissionDenied",
    "Unimplemented",
    "Internal",
    "DataLoss",
]
