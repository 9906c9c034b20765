"""The Router and the Reflector on a model, and offline."""

from datetime import UTC, datetime

import pytest

from core.agents.llm.recalling import LlmReflector, LlmRouter
from core.agents.offline.recalling import OfflineReflector
from core.agents.recall_roles import ReflectedRecord, problem_of_reflection
from core.errors import AgentReplyInvalid
from core.long_term.routing import Intent, Layer
from tests.core.agents.llm.replies import objections, question, said
from tests.support.scripted_chat import ScriptedChat

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def record(number: int, content: str, subcategory: str = "error_recovery") -> ReflectedRecord:
    return ReflectedRecord(
        number=number,
        content=content,
        subcategory=subcategory,
        confidence=0.7,
        weight=0.3 + number,
        event_time=NOW,
    )


RECORDS = (
    record(0, "Timeouts of the export API end with pages of 200 rows."),
    record(1, "先检查令牌是否过期。", "权限"),
)


async def test_a_route_is_the_model_s_in_known_words_alone() -> None:
    good = said(intent="decide", categories=["work"], layers=["L2", "L3"], confidence=0.8)
    chat = ScriptedChat([said(intent="guess", categories=["x"], layers=[], confidence=2), good])

    opinion = await LlmRouter(chat).route("这次该选哪家酒店？")

    assert (opinion.intent, opinion.categories, opinion.confidence) == (Intent.DECIDE, ("work",), 0.8)
    assert opinion.layers == (Layer.L2, Layer.L3)
    assert "这次该选哪家酒店？" in question(chat)
    assert "intent" in objections(chat)[0]


@pytest.mark.parametrize(
    ("markdown", "numbers", "objection"),
    [
        ("No heading", [0], "heading"),
        ("# Exports\n\n<b>bold</b>", [0], "HTML"),
        ("# Exports\n\nPages of 500 rows work.", [0], "500 stands in none of the records"),
        ("# Exports\n\nPages of 200 rows work.", [], "name the records"),
        ("# Exports\n\n" + "x" * 8_000, [0], "8000"),
    ],
)
async def test_a_reflection_that_cannot_stand_is_asked_again_with_the_reason(
    markdown: str, numbers: list[int], objection: str
) -> None:
    good = said(records=[0], markdown="# Exports\n\n- Pages of 200 rows end timeouts.")
    chat = ScriptedChat([said(records=numbers, markdown=markdown), good])

    opinion = await LlmReflector(chat).reflect("Exports", "strategy", RECORDS)

    assert opinion.text == "# Exports\n\n- Pages of 200 rows end timeouts."
    assert opinion.records == (0,)
    assert objection in objections(chat)[0]
    assert "Timeouts of the export API" in question(chat)


async def test_a_model_that_never_writes_a_reflection_is_given_up() -> None:
    chat = ScriptedChat([said(records=[7], markdown="# x")] * 3)

    with pytest.raises(AgentReplyInvalid):
        await LlmReflector(chat).reflect("Exports", "strategy", RECORDS)


async def test_offline_records_stand_verbatim_by_weight_under_their_subcategories() -> None:
    one = await OfflineReflector().reflect("Exports", "strategy", RECORDS)
    again = await OfflineReflector().reflect("Exports", "strategy", RECORDS)

    assert one == again
    assert problem_of_reflection(one, "Exports", RECORDS) == ""
    assert one.text.startswith("# Exports\n\n## 权限\n")
    assert "- Timeouts of the export API end with pages of 200 rows." in one.text
    assert one.records == (0, 1)
