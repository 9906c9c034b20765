"""Random requests of the contract: ids that there are and some that are not, texts that say something or nothing."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import types_pb2
from tests.service.api.violations import BANK_MASK, INSIGHT_MASK, NODE_MASK, RIGHT
from tests.support.hashing_embedder import HashingEmbedder

FILLED = 0.15  # of the fields that a right request leaves out
UNKNOWN = 0.05  # of the ids
DEEPEST = 4
TEXTS = (
    "",
    "?",
    " \n ",
    "。，",
    "The ferry to Naxos leaves at nine from pier 3.",
    "The ferry to Naxos leaves at ten from pier 3.",
    "渡轮九点从三号码头开出。",
    "渡轮十点从三号码头开出。",
    "There is no contradiction: nine is the summer timetable, ten the winter's. Keep both.",
    "The first is right.",
    "Who runs the ferry to Naxos?",
    "谁经营这条渡轮？",
    "x",
    "a\tb\n\nc",
    "The museum opens at 9:00. The museum opens at 10:00. It costs 42 euro, and 12 for children.",
    "word " * 400,
    "长" * 3_000,
)
TYPES = ("SEARCH", "SOLVE", "ANSWER", "CROSS_VALIDATION", "交叉验证", "CALL", "")
NUMBERS = (0, 1, 2, 3, 8, 50, 200, 1_000, -1, 10**6)
BUDGETS = (1, 300, 700, 1_000, 16_000)
SHARES = (0.0, 0.3, 1.0, -1.0)


@dataclass(slots=True)
class Known:
    """What a bank is known to hold, by the name of the field that names it."""

    node_id: list[str] = field(default_factory=list)
    interaction_id: list[str] = field(default_factory=list)
    conflict_id: list[str] = field(default_factory=list)
    task_id: list[str] = field(default_factory=list)
    attachment_id: list[str] = field(default_factory=list)


class Requests:
    """Requests of any method at a bank, one after another, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._vectors = HashingEmbedder()

    async def at(self, method: str, bank_id: str, known: Known) -> Message:
        request = type(RIGHT[method])()
        request.CopyFrom(RIGHT[method])
        await self._fill(request, known, FILLED, 0)
        holders: tuple[Any, ...] = (request, getattr(request, "header", None))
        for holder in holders:
            if holder is not None and "bank_id" in holder.DESCRIPTOR.fields_by_name:
                holder.bank_id = bank_id
        return request

    async def _fill(self, message: Any, known: Known, chance: float, depth: int) -> None:
        for each in message.DESCRIPTOR.fields:
            there = message.HasField(each.name) if each.has_presence else bool(getattr(message, each.name))
            if not there and self.random.random() > chance:
                continue
            if each.message_type is not None and each.message_type.GetOptions().map_entry:
                getattr(message, each.name).clear()
                getattr(message, each.name).update({"k": self.random.choice(TEXTS)[:50]})
            elif each.is_repeated:
                await self._fill_list(message, each, known, depth)
            elif each.message_type is None:
                setattr(message, each.name, self._scalar(each, known))
            else:
                await self._fill_message(getattr(message, each.name), known, depth)

    async def _fill_list(self, message: Any, each: FieldDescriptor, known: Known, depth: int) -> None:
        values = getattr(message, each.name)
        count = self.random.choice((1, 1, 2, 3))
        if each.message_type is None:
            del values[:]
            values.extend(dict.fromkeys(self._scalar(each, known) for _ in range(count)))
        elif depth < DEEPEST:
            while len(values) < count:
                values.add()
            for value in values:
                await self._fill_message(value, known, depth)

    async def _fill_message(self, message: Any, known: Known, depth: int) -> None:
        message.SetInParent()
        if isinstance(message, Timestamp):
            message.seconds = self.random.choice((0, 1_700_000_000, 1_800_000_000))
        elif isinstance(message, FieldMask):
            named = {*BANK_MASK.paths, *NODE_MASK.paths, *INSIGHT_MASK.paths}
            if self.random.random() < 0.5 or not message.paths:
                message.paths[:] = self.random.sample(sorted(message.paths) or sorted(named), 1)
        elif isinstance(message, types_pb2.Vector):
            (vector,) = await self._vectors.embed_passages([self.random.choice(TEXTS)])
            message.f32 = np.asarray(vector if self.random.random() < 0.9 else vector[:4], "<f4").tobytes()
        elif depth < DEEPEST:
            await self._fill(message, known, 2 * FILLED, depth + 1)

    def _scalar(self, each: FieldDescriptor, known: Known) -> Any:
        match each.cpp_type:
            case FieldDescriptor.CPPTYPE_STRING:
                return self._string(each, known)
            case FieldDescriptor.CPPTYPE_ENUM:
                assert each.enum_type is not None
                return self.random.choice(each.enum_type.values).number
            case FieldDescriptor.CPPTYPE_BOOL:
                return self.random.random() < 0.5
            case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
                return self.random.choice(SHARES)
        return self.random.choice(BUDGETS if each.name == "token_budget" else NUMBERS)

    def _string(self, each: FieldDescriptor, known: Known) -> Any:
        if each.type == FieldDescriptor.TYPE_BYTES:
            return b"bytes"
        name = each.name.removesuffix("s")
        if name == "request_id":
            return f"r{self.random.randrange(1_000)}"
        if name == "type":
            return self.random.choice(TYPES)
        if name == "retry_of":
            name = "task_id"
        if name.endswith("_id"):
            return self._id(known, next((n for n in Known.__slots__ if name.endswith(n)), ""))
        return self.random.choice(TEXTS)

    def _id(self, known: Known, name: str) -> str:
        ids: Sequence[str] = getattr(known, name, ())
        if not ids or self.random.random() < UNKNOWN:
            return self.random.choice(("nobody", "n-0", f"new-{self.random.randrange(10_000)}"))
        return self.random.choice(ids)
