"""An agent that learns from a failed tool: the first run has its model find the mending, every later one knows it.

`python -m examples.retry_agent ADDRESS`, twice: the second run never asks its model. A script plays the model, so that
no key is needed; OPENAI_MODEL, OPENAI_API_KEY and OPENAI_BASE_URL put another one in its place.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from openai import OpenAI

from examples.scripted_model import Endpoint, model_endpoint
from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.retry import Arguments, Failure, LearningTools

USER = "ada"
ASKED = "A tool failed. Answer with better arguments for it as a JSON object and nothing else, or {} if you know none."


def book_ferry(pier: str, currency: str = "USD") -> str:
    """A tool that takes one currency only."""
    if currency != "EUR":
        raise ValueError(f"currency {currency} is not accepted here, only EUR")
    return f"booked from {pier}, 63 EUR"


def think(endpoint: Endpoint, failure: Failure) -> Arguments | None:
    """Asks the model for other arguments; None where it has no idea."""
    print(f"thinking about: {failure.message}")
    told = {"tool": failure.tool, "arguments": failure.arguments, "error": failure.message}
    chat = OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key).chat.completions
    answer = chat.create(
        model=endpoint.model,
        messages=[{"role": "system", "content": ASKED}, {"role": "user", "content": json.dumps(told)}],
    )
    try:
        better = json.loads(answer.choices[0].message.content or "{}")
    except ValueError:
        return None
    return better if isinstance(better, dict) and better else None


def script(body: Mapping[str, Any]) -> dict[str, Any]:
    """What the model by script answers."""
    told = json.loads(body["messages"][-1]["content"])
    better = {**told["arguments"], "currency": "EUR"} if "only EUR" in told["error"] else {}
    return {"role": "assistant", "content": json.dumps(better)}


def main(address: str) -> None:
    with SyncMemoryBankClient(address) as client, model_endpoint(script) as endpoint:
        tools = LearningTools(
            client, USER, {"book_ferry": book_ferry}, fix=lambda failure: think(endpoint, failure)
        )
        for pier in ("pier 3", "pier 4"):
            print(tools.call("book_ferry", {"pier": pier, "currency": "USD"}))
        records = client.list_records(user=USER).records
        print(f"confidence {records[0].confidence:.3f}, {len(records)} recovery")


if __name__ == "__main__":
    main(sys.argv[1])
