"""An agent that learns from a failed tool: the first run finds the mending, every later one knows it.

`python -m examples.retry_agent ADDRESS`, twice: the second run never asks for the mending again.
"""

import sys

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.retry import Arguments, Failure, LearningTools

USER = "ada"


def book_ferry(pier: str, currency: str = "USD") -> str:
    """A tool that takes one currency only."""
    if currency != "EUR":
        raise ValueError(f"currency {currency} is not accepted here, only EUR")
    return f"booked from {pier}, 63 EUR"


def think(failure: Failure) -> Arguments | None:
    """Where a model would be asked what to try."""
    print(f"thinking about: {failure.message}")
    return {**failure.arguments, "currency": "EUR"} if "only EUR" in failure.message else None


def main(address: str) -> None:
    with SyncMemoryBankClient(address) as client:
        tools = LearningTools(client, USER, {"book_ferry": book_ferry}, fix=think)
        for pier in ("pier 3", "pier 4"):
            print(tools.call("book_ferry", {"pier": pier, "currency": "USD"}))
        records = client.list_records(user=USER).records
        print(f"confidence {records[0].confidence:.3f}, {len(records)} recovery")


if __name__ == "__main__":
    main(sys.argv[1])
