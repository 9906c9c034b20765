"""What each page of the console takes, warm, with 10,000 nodes and 100 banks; server and console in one process.

    python -m tests.bench.bench_console [--nodes 10000] [--banks 100] [--times 9]

The embedder is one of tests, whose vectors cost nothing. Times are of the processor, all threads, so that a busy
machine shows less, and by the clock; the least of all askings, and the middle one.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from tests.console.test_pages import addresses
from tests.support.console import Browser, console
from tests.support.console_memory import Remembered, remember

AT_ONCE = 100
QUESTION = "When does the ferry to Naxos leave?"


def fill(browser: Browser, nodes: int, banks: int) -> Remembered:
    """Remembers a journey, in a bank of so many nodes, among so many banks."""
    memory = remember(browser.client, "ada")
    for number in range(banks - 1):
        browser.client.create_bank(bank_id=f"bank-{number}", user=memory.user, goal=f"Journey {number}")
    for first in range(0, nodes, AT_ONCE):
        made: list[Any] = [
            {
                "summary": f"Ferry {first + n} leaves from pier {n}.",
                "related_node_ids": [memory.node_id] if n < 2 else [],
            }
            for n in range(AT_ONCE)
        ]
        browser.client.batch_add_nodes(bank_id=memory.bank_id, nodes=made)
    return memory


def measured(ask: Callable[[], Any], times: int) -> tuple[float, float, float]:
    """Milliseconds: the least of the processor, the least and the middle one by the clock."""
    spent, taken = [], []
    for _ in range(times + 1):
        began, clock = time.process_time(), time.perf_counter()
        assert ask().status_code == 200
        spent.append(1e3 * (time.process_time() - began))
        taken.append(1e3 * (time.perf_counter() - clock))
    return min(spent[1:]), min(taken[1:]), statistics.median(taken[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--banks", type=int, default=100)
    parser.add_argument("--times", type=int, default=9)
    asked = parser.parse_args()
    with console() as browser:
        memory = fill(browser, asked.nodes, asked.banks)
        user = f"/user?{urlencode({'user': memory.user})}"
        chosen = {"chosen_bank": memory.bank_id, "chosen_conversation": memory.conversation_id}
        asks: dict[str, Callable[[], Any]] = {
            address.partition("?")[0]: lambda address=address: browser.get(address)  # type: ignore[misc]
            for address in addresses(memory)
        }
        asks["search"] = lambda: browser.send(user, text=QUESTION)
        asks["prompt"] = lambda: browser.send(
            f"/context?{urlencode({'user': memory.user})}", text=QUESTION, budget="4000", **chosen
        )
        print(f"{'page':<16}{'processor ms':>14}{'clock ms':>10}{'middle':>10}")
        for name, ask in asks.items():
            spent, least, middle = measured(ask, asked.times)
            print(f"{name:<16}{spent:>14.1f}{least:>10.1f}{middle:>10.1f}")


if __name__ == "__main__":
    main()
