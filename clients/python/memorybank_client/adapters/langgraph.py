"""The memory as a middleware of LangGraph's prebuilt agent (`langchain.agents.create_agent`, LangChain 1.x).

An agent's step ends where its model asks for no tool, and has failed if it says nothing. The step then goes
to memory, the model gets the next one's prompt, and sees of the conversation only what belongs to its step.

`pip install langchain` brings what this module imports.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool

from memorybank_client.adapters.files import Part
from memorybank_client.adapters.react import SyncReActAdapter
from memorybank_client.adapters.reading import TOOL_NAME
from memorybank_client.adapters.transcript import transcript


class MemoryMiddleware(AgentMiddleware):  # type: ignore[misc]  # typed where LangChain is installed
    """A bank's memory: the user's message begins a task, the agent ends when it is finished, and the message after that
    begins the next, with all that is remembered.

    For `invoke` and `ainvoke`; the calls of the service are made from a thread in the latter. An agent that serves
    many users needs a middleware, and so an agent, for each. `images`: whether the model takes images in what a tool
    brings.
    """

    def __init__(self, memory: SyncReActAdapter, *, images: bool = False) -> None:
        super().__init__()
        self.memory = memory
        self._images = images
        self.tools = [StructuredTool.from_function(self._deep_retrieval, name=TOOL_NAME)]
        self._begins = 0  # with which of the conversation's messages the step does: what opens it

    def before_agent(self, state: AgentState[Any], runtime: Any) -> None:  # noqa: ARG002  its caller names it
        """Calls StartTask, with question and context in one message; does nothing where a task goes on."""
        self._begins = len(state["messages"]) - 1
        self.memory.enhance(state["messages"][-1].text)

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._of_this_step(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(self._of_this_step(request))

    @hook_config(can_jump_to=["model"])  # type: ignore[untyped-decorator]  # likewise
    def after_model(self, state: AgentState[Any], runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Calls AdvanceTask where a step ends; then the next one begins, or the end is there."""
        messages = state["messages"]
        task = self.memory.task
        if getattr(messages[-1], "tool_calls", None) or task is None:
            return None
        context = transcript(messages[self._begins + 1 :], verdict=bool(task.conflict_id))
        self.memory.intercept(context, succeeded=bool(messages[-1].text))
        self._begins = len(messages)
        if (task := self.memory.task) is None:
            return None
        return {"messages": [HumanMessage(f"{task.type}: {task.description}")], "jump_to": "model"}

    def _of_this_step(self, request: ModelRequest) -> ModelRequest:
        own = f"{request.system_prompt}\n\n" if request.system_prompt else ""
        return request.override(
            system_message=SystemMessage(own + self.memory.prompt), messages=request.messages[self._begins :]
        )

    def _deep_retrieval(
        self,
        node_id: str,
        query: str = "",
        start: int | None = None,
        end: int | None = None,
        attachment_id: str = "",
    ) -> str | list[Part]:
        """Read the verbatim record behind a memory: by its id alone the passage it stands for and what is around it; or
        what answers `query`, characters `start` to `end`, or one attached file."""
        asked = {
            "node_id": node_id,
            "query": query,
            "start": start,
            "end": end,
            "attachment_id": attachment_id,
        }
        if self._images:
            return self.memory.call_tool_parts(TOOL_NAME, asked)
        return self.memory.call_tool(TOOL_NAME, asked)
