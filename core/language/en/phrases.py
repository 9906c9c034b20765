"""What the service writes in English."""

from core.language.phrases import (
    Marks,
    Phrases,
    ReflectionPhrases,
    RunPhrases,
    StepPhrases,
    TaskPhrases,
    TopicPhrases,
)

MARKS = Marks(stop=".", colon=": ", gap=" ", listed=", ", parts="; ", titles="; ", part=";", aside=" ({})")
STEPS = StepPhrases(
    goal="Find out what this task is to achieve",
    goal_how="Ask the user, or find it in the memories; then set the goal.",
    search="Find sources that answer this: {}",
    search_how="Memory holds nothing on it yet: look in reliable sources, and report what they say and where.",
    retry_how="The last attempt failed: try another way or another source.",
    without="Solve the goal without the result of: {}",
    without_how="Reason from the memories there are; say what is missing and what that means for the result.",
    solve="Work out from what is known: {}",
    solve_how=(
        "Reason or compute from the memories; where a summary is not enough, read the original. What they lack, look up"
        " first; if it cannot be had, say so."
    ),
    answer="Give the final answer: {}",
    answer_how="Give the final answer from the completed tasks and the memories, with the evidence.",
)
TASKS = TaskPhrases(
    validate="Validate the conflict between nodes {nodes}: {issue}",
    validate_how=(
        "Check several independent sources, say which side is right or how they fit together, and on what evidence."
    ),
    closed="The conflict was closed without a verdict.",
    given_up="“{}” failed {} times, and nothing made up for it.",
)
TOPICS = TopicPhrases(
    related=" (related to {})",
    including="{} (including {})",
    joined="{} and {}",
    near="near each other ({:.2f})",
    both_mention=", both mention {}",
    contradiction="“{}” contradicts “{}”",
    likelihood="likelihood {likelihood} by {model}",
    keep_fuller="keep the fuller wording, add what only the other says",
    say_the_same="both say the same",
    existing_holds="the existing node holds what the new one says",
    new_holds="the new node holds what the existing one says",
    put_together="Put together {} nodes: {}.",
    kept=" Sentences kept: {}, repeated: {}.",
    corrected=" Corrected by the verdict: {}",
    replaced=" Replaced by newer information: {}",
    strategy=" Strategy: {}",
)
RUNS = RunPhrases(
    task="For “{}”: ",
    failure="“{query}” failed: {tool} gave {problem}",
    left_out="({} older items left out)",
    recovered="{tool} failed with {error}: recovered by {how}",
    changing="changing {}",
    trying_again="trying again",
    recovery_titles=(
        "Error recovery",
        "Error",
        "Type",
        "Message",
        "Original arguments",
        "Fixed arguments",
        "What was changed",
    ),
)
REFLECTIONS = ReflectionPhrases(
    recoveries="Recovering from tool errors",
    strategies="Strategies",
    strategies_of="Strategies: {}",
    common="In common",
    shared="- {word}: {count} of {total} records, {days}",
    general="General",
    bullet="- {content} ({day:%Y-%m-%d}, confidence {confidence:.2f})",
    period="{} to {}",
    source="(From {} record, {}.)",
    sources="(From {} records, {}.)",
)
PHRASES = Phrases(
    marks=MARKS, tool="Tool", steps=STEPS, tasks=TASKS, topics=TOPICS, runs=RUNS, reflections=REFLECTIONS
)
