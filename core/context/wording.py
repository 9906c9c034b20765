"""The words of a prompt of the task's own: English and Chinese."""

from dataclasses import dataclass

from core.model.insight import Insight
from core.text.scripts import is_chinese


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The prompt's own words in one language."""

    tool_title: str
    tool_usage: str
    tool_description: str
    insight_title: str
    goal: str
    completed: str
    pending: str
    nothing: str
    finished: str
    suspected: str
    memories_title: str
    neighbors_title: str
    contested: str
    refuted: str
    unstructured: str
    attempt: str
    keywords: str
    verbatim: str
    summary: str
    retry_of: str
    how_to_settle: str
    more_conflicts: str
    unplanned: str
    open_conflicts: str
    more_steps: str
    see_now: str
    now_title: str
    how: str
    then_stop: str
    earlier: str
    digest: str
    of_type: str
    other_types: str
    failed: str

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings of sections."""
        return (
            self.tool_title,
            self.insight_title,
            self.memories_title,
            self.neighbors_title,
            self.now_title,
        )


ENGLISH = Wording(
    tool_title="Tool: deep_retrieval",
    tool_usage=(
        "Memories below are excerpts. `deep_retrieval` brings the original words around one, by its id in brackets."
    ),
    tool_description=(
        "Read the verbatim record behind a memory: by its id alone the passage it stands for and what is around it; or "
        "what answers `query`, characters `start` to `end`, or one attached file."
    ),
    insight_title="Task state",
    goal="Goal",
    completed="Done",
    pending="Next",
    nothing="(nothing yet)",
    finished="All done.",
    suspected="Suspected contradictions that nobody confirmed: {}.",
    memories_title="Relevant memories",
    neighbors_title="Related to those",
    contested="CONTESTED",
    refuted="REFUTED",
    unstructured="VERBATIM, not summarised yet",
    attempt="FAILED ATTEMPT, no finding",
    keywords="keywords",
    verbatim="verbatim",
    summary="summary",
    retry_of="retry of",
    how_to_settle=(
        "Settle conflicts first, in order: check several independent sources, say which side is right or how they "
        "fit together, and on what evidence; name the conflict's id."
    ),
    unplanned="open conflict, no step planned (name its id to settle it)",
    open_conflicts="- (open conflicts to be settled: {})",
    more_conflicts="- (open conflicts that are not listed here: {})",
    more_steps="- (steps after these: {})",
    see_now="(now: see the end)",
    now_title="Now",
    how="how",
    then_stop=(
        "Do this task and no other. Then stop and report what you found, with its sources, or that it failed and why."
    ),
    earlier="- (before these: {})",
    digest="- (the first {}: {})",
    of_type="{} {}",
    other_types="others {}",
    failed="{} of them FAILED",
)
CHINESE = Wording(
    tool_title="工具：deep_retrieval",
    tool_usage="下面的记忆是摘录。要看某条记忆前后的原文，用方括号中的 id 调用 `deep_retrieval`。",
    tool_description=(
        "读取一条记忆背后的原始记录：只给 id 时为其出处及前后文；"
        "也可取与 query 相关的段落、第 start 至 end 字符，或一个附件。"
    ),
    insight_title="任务状态",
    goal="总目标",
    completed="已完成",
    pending="下一步",
    nothing="（暂无）",
    finished="全部完成。",
    suspected="尚未确认的疑似矛盾：{}处。",
    memories_title="相关记忆",
    neighbors_title="与之相关",
    contested="CONTESTED，有冲突待验证",
    refuted="REFUTED，已被验证推翻",
    unstructured="原文，尚未整理",
    attempt="FAILED，失败的尝试，不是结论",
    keywords="关键词",
    verbatim="原文",
    summary="摘要",
    retry_of="重试",
    how_to_settle="先依次验证冲突：查多个独立来源，说明哪方正确或如何整合、有何依据，并注明冲突 id。",
    unplanned="未列入计划的冲突（裁决时注明 id）",
    open_conflicts="- （待验证冲突：{}）",
    more_conflicts="- （未列出的待验证冲突：{}）",
    more_steps="- （之后还有{}步）",
    see_now="（当前任务，见文末）",
    now_title="现在要做",
    how="方法",
    then_stop="只做这一项任务。完成后停下，报告结果及其来源；若失败，说明失败及原因。",
    earlier="- （更早的：{}）",
    digest="- （最初{}步：{}）",
    of_type="{} {}",
    other_types="其他 {}",
    failed="其中 FAILED {}",
)


def wording(insight: Insight) -> Wording:
    """Returns the words for a task: Chinese for a Chinese goal, else English."""
    return wording_for(insight.goal)


def wording_for(text: str) -> Wording:
    """Returns the words for a text: Chinese for a Chinese one, else English."""
    return CHINESE if is_chinese(text) else ENGLISH
