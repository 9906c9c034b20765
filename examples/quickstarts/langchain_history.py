"""LangChain with history and retriever: `python -m examples.quickstarts.langchain_history HOST:PORT`."""

import sys

from langchain_core.messages import AIMessage, HumanMessage

from memorybank_client import SyncMemoryBankClient
from memorybank_client.adapters.langchain import MemoryBankHistory, MemoryBankRetriever

with SyncMemoryBankClient(sys.argv[1]) as client:
    history = MemoryBankHistory(client, user="ada", conversation_id="c1")
    history.add_messages([HumanMessage("Which pier? 哪个码头？"), AIMessage("Pier 3.")])
    client.store_fact(user="ada", content="Ada takes the ferry to Naxos. 艾达坐渡轮。")
    found = MemoryBankRetriever(client=client, user="ada", k=3).invoke("How does Ada travel?")
    print(history.messages[-1].content, found[0].page_content)
