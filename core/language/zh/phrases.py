"""What the service writes in Chinese."""

from core.language.phrases import (
    Marks,
    Phrases,
    ReflectionPhrases,
    RunPhrases,
    StepPhrases,
    TaskPhrases,
    TopicPhrases,
)

MARKS = Marks(stop="。", colon="：", gap="", listed="、", parts="；", titles="、", part="；", aside="（{}）")
STEPS = StepPhrases(
    goal="弄清楚这个任务要达成什么",
    goal_how="询问用户，或从记忆中找出，然后设定目标。",
    search="查找能够回答这个问题的资料：{}",
    search_how="记忆中还没有与此相关的内容：查找可靠来源，连同出处一并报告。",
    retry_how="上次执行失败：换一种方法或来源再试。",
    without="在缺少以下结果的情况下解决目标：{}",
    without_how="利用已有记忆推理，并说明缺少什么、对结论有何影响。",
    solve="根据已知信息得出：{}",
    solve_how="依据记忆推理或计算；摘要不够时用深入检索查看原文；缺少的资料先去查找，查不到就说明缺什么。",
    answer="给出最终答案：{}",
    answer_how="依据已完成的任务和记忆给出最终答案，并引用依据。",
)
TASKS = TaskPhrases(
    validate="验证节点 {nodes} 的冲突：{issue}",
    validate_how="检索多个独立来源进行交叉验证，说明哪一方正确或应如何整合，并给出依据。",
    closed="该冲突未经裁决即已关闭。",
    given_up="“{}”失败{}次，没有其他办法弥补。",
)
TOPICS = TopicPhrases(
    related="（与{}相关）",
    including="{}（包含{}）",
    joined="{}及{}",
    near="内容相近（{:.2f}）",
    both_mention="，都提到{}",
    contradiction="“{}”与“{}”矛盾",
    likelihood="互相矛盾的可能性为{likelihood}（{model}）",
    keep_fuller="保留更完整的表述，补充另一方独有的内容",
    say_the_same="两者内容相同",
    existing_holds="已有节点包含新节点的内容",
    new_holds="新节点包含已有节点的内容",
    put_together="综合了{}个节点的内容：{}。",
    kept="保留{}句，略去重复{}句。",
    corrected="基于验证结果修正了：{}",
    replaced="较新的信息取代了：{}",
    strategy="策略：{}",
)
RUNS = RunPhrases(
    task="要做“{}”：",
    failure="“{query}”失败：{tool} 报错 {problem}",
    left_out="（另有{}项较早的内容从略）",
    recovered="工具 {tool} 遇到 {error} 错误时，通过{how}成功恢复",
    changing="修正 {}",
    trying_again="重试",
    recovery_titles=(
        "错误恢复策略",
        "错误信息",
        "错误类型",
        "错误消息",
        "原始参数",
        "修正后参数",
        "修正说明",
    ),
)
REFLECTIONS = ReflectionPhrases(
    recoveries="工具执行错误恢复经验",
    strategies="策略经验",
    strategies_of="策略经验：{}",
    common="共同之处",
    shared="- {word}：{count}/{total} 条，{days}",
    general="概要",
    bullet="- {content}（{day:%Y-%m-%d}，置信度 {confidence:.2f}）",
    period="{} 至 {}",
    source="（依据 {} 条记录，{}）",
    sources="（依据 {} 条记录，{}）",
)
PHRASES = Phrases(
    marks=MARKS, tool="工具", steps=STEPS, tasks=TASKS, topics=TOPICS, runs=RUNS, reflections=REFLECTIONS
)
