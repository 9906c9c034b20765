"""Random requests of the contract: ids that there are and some that are not, texts that say something or nothing."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import types_pb2
from tests.service.api.every_violation import RIGHT
from tests.service.api.violations import BANK_MASK, INSIGHT_MASK, NODE_MASK
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
SINGLE = frozenset({"header", "options", "bank", "collection", "conversation", "user"})
"""Fields that hold whose memory it is in a message of their own."""
MASKS = (
    "retention",
    "quotas",
    "half_life_days",
    "enabled",
    "content",
    "category",
    "reward",
    "tags",
    "detail",
)
JSON = ("{}", '{"a": 1}', '{"路": [1, "x"]}', "{", "")
WORDS = ("work", "life", "preference", "strategy", "Work", "", "error_recovery tool:curl error:timeout")
TYPES = ("SEARCH", "SOLVE", "ANSWER", "CROSS_VALIDATION", "交叉验证", "CALL", "")
NUMBERS = (0, 1, 2, 3, 8, 50, 200, 1_000, -1, 10**6)
BUDGETS = (1, 300, 700, 1_000, 16_000)
SHARES = (0.0, 0.3, 1.0, -1.0)


Known = Mapping[str, Sequence[str]]
"""The ids that there are, by the name of the field that names them."""


class Requests:
    """Requests of any method at a bank, one after another, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._vectors = HashingEmbedder()

    async def at(self, method: MethodDescriptor, known: Known, **place: str) -> Message:
        """A request of the method. `place`: the fields that say of whose memory it is."""
        request = GetMessageClass(method.input_type)()
        request.CopyFrom(RIGHT[method.name])
        await self._fill(request, known, FILLED, 0)
        self._place(request, {**place, "bank_id": "new"} if method.name == "CreateBank" else place)
        for each in request.DESCRIPTOR.fields:
            if each.name in SINGLE and each.message_type is not None:
                self._place(getattr(request, each.name), place)
        return request

    def _place(self, message: Any, place: Mapping[str, str]) -> None:
        for each in message.DESCRIPTOR.fields:
            if each.name in place and each.cpp_type == FieldDescriptor.CPPTYPE_STRING:
                setattr(message, each.name, place[each.name])

    async def _fill(self, message: Any, known: Known, chance: float, depth: int) -> None:
        for each in message.DESCRIPTOR.fields:
            there = message.HasField(each.name) if each.has_presence else bool(getattr(message, each.name))
            if not there and self.random.random() > chance:
                continue
            if each.message_type is not None and each.message_type.GetOptions().map_entry:
                value = self._scalar(each.message_type.fields_by_name["value"], known)
                getattr(message, each.name).clear()
                getattr(message, each.name).update({"k": value[:50] if isinstance(value, str) else value})
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
            named = {*BANK_MASK.paths, *NODE_MASK.paths, *INSIGHT_MASK.paths, *MASKS}
            if self.random.random() < 0.5 or not message.paths:
                message.paths[:] = [self.random.choice(sorted(message.paths or named))]
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
            return self.random.choice(TEXTS).encode()
        name = each.name.removesuffix("s")
        if name == "request_id":
            return f"r{self.random.randrange(1_000)}"
        if name == "type":
            return self.random.choice(TYPES)
        if name.endswith("_json"):
            return self.random.choice(JSON)
        if name in ("category", "categorie", "tag", "tool", "error_type"):
            return self.random.choice(WORDS)
        if name == "retry_of":
            name = "task_id"
        kind = next((n for n in known if name == n or (n.endswith("_id") and name.endswith(n))), "")
        if kind or name.endswith("_id"):
            return self._id(known.get(kind, ()))
        return self.random.choice(TEXTS)

    def _id(self, ids: Sequence[str]) -> str:
        if not ids or self.random.random() < UNKNOWN:
            return self.random.choice(("nobody", "n-0", f"new-{self.random.randrange(10_000)}"))
        return self.random.choice(ids)
