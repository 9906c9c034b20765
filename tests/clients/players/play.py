"""The player in Python, over the synchronous client."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict

from memorybank_client import MemoryBankError, SyncMemoryBankClient
from memorybank_client.shapes import Shape
from memorybank_client.verbs import Verbs

SHAPES = {
    f"{shape.method.service.rpartition('.')[2]}/{shape.method.name}": shape
    for shape in vars(Verbs).values()
    if isinstance(shape, Shape)
}
Json = dict[str, Any]


def main(address: str, transcript: str, variables: str) -> None:
    known: dict[str, str] = json.loads(variables)
    with SyncMemoryBankClient(address) as client:
        for step in json.loads(Path(transcript).read_text(encoding="utf-8")):
            told = turned(step) if "turn" in step else played(client, filled(step, known), known)
            print(json.dumps({"step": step["step"], **told}, ensure_ascii=False), flush=True)


def turned(step: Json) -> Json:
    print(json.dumps({"turn": step["turn"]}), flush=True)
    sys.stdin.readline()
    return {}


def filled(step: Json, known: dict[str, str]) -> Json:
    text = json.dumps(step)
    for name, value in known.items():
        text = text.replace(f"${{{name}}}", value)
    filled: Json = json.loads(text)
    return filled


def played(client: SyncMemoryBankClient, step: Json, known: dict[str, str]) -> Json:
    client = client.with_key(step["key"]) if "key" in step else client
    client = client.within(step["timeout"]) if "timeout" in step else client
    answers: list[Json] = []
    told: Json = {}
    try:
        for answer in called(client, SHAPES[step["call"]], step):
            answers.append(MessageToDict(answer))
    except MemoryBankError as error:
        told["error"] = taken_apart(error)
    for name, path in step.get("save", {}).items():
        known[name] = str(at(answers[-1], path))
    if step.get("last"):
        answers = answers[-1:]
    if "show" in step:
        answers = [{name: value for name, value in each.items() if name in step["show"]} for each in answers]
    return {"answers": answers, **told}


def called(client: SyncMemoryBankClient, shape: Shape[Any], step: Json) -> Iterator[Any]:
    method = shape.method
    verb = getattr(client, shape.verb)
    if method.streams_up:
        first, *parts = [ParseDict(each, method.request()) for each in step["requests"]]
        header = next(value for _, value in first.ListFields())
        made = verb([next(value for _, value in part.ListFields()) for part in parts], **fields(header))
    else:
        made = verb(**fields(ParseDict(step["request"], method.request())))
    if not method.streams_down:
        return iter([made])
    return left(made, step["take"]) if "take" in step else made


def left(stream: Any, most: int) -> Iterator[Any]:
    try:
        yield from islice(stream, most)
    finally:
        stream.close()


def fields(message: Any) -> Json:
    return {field.name: value for field, value in message.ListFields()}


def taken_apart(error: MemoryBankError) -> Json:
    reason = str(error).split(":")[0].partition(" ")[2]
    return {
        "code": error.code.value[0],
        "reason": reason,
        "metadata": error.metadata,
        "fields": [[violation.field, violation.problem] for violation in error.field_violations],
        "retry": error.retry_after is not None,
        "sent": bool(error.request_id),
    }


def at(answer: Any, path: str) -> Any:
    for name in path.split("."):
        answer = answer[name]
    return answer


if __name__ == "__main__":
    main(*sys.argv[1:])
