"""LangChain's standard tests of retrievers, which `langchain-tests` brings as a class, on ours.

Runs in an environment that has `langchain-tests`; `make suites` starts it.
"""

from typing import Any
from uuid import uuid4

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langchain import MemoryBankRetriever
from tools.suites.address import ADDRESS

CLIENT = SyncMemoryBankClient(ADDRESS)
USER = f"suite-{uuid4()}"
FACTS = (
    "The ferry to Naxos leaves at nine.",
    "渡轮十点到达帕罗斯。",
    "Ada likes plums.",
    "The budget for the ferry is €90.",
)


class TestRetriever(RetrieversIntegrationTests):  # type: ignore[misc]  # typed where it is installed
    @pytest.fixture(autouse=True, scope="class")
    def facts(self) -> None:
        for fact in FACTS:
            CLIENT.store_fact(user=USER, content=fact, wait=True)

    @property
    def retriever_constructor(self) -> type[MemoryBankRetriever]:
        return MemoryBankRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"client": CLIENT, "user": USER}

    @property
    def retriever_query_example(self) -> str:
        return "When does the ferry leave?"
