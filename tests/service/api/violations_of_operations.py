"""What is right and what is wrong with the requests of Operations."""

from collections.abc import Mapping

from google.protobuf.message import Message

from memorybank.v1 import operations_pb2 as pb
from tests.service.api.violations import Table

RIGHT: dict[str, Message] = {"GetServerInfo": pb.GetServerInfoRequest()}
WRONG: dict[str, Table] = {"GetServerInfo": {}}
HARMLESS: dict[str, Mapping[str, str]] = {}
