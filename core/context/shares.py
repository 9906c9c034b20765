"""What each part of a prompt may take: one table."""

PREFERENCES, STRATEGIES = 0.04, 0.03
"""Of the budget, at most, for those that bear on the input: in that they go last."""
LIMITS = 0.04
"""Of the budget, at most, for what somebody cannot have or do, beside facts that stand for what they weigh."""
KEYS, LEAST_KEYS = 0.05, 120
"""Of the budget, at most, for keys that the service made, but never fewer tokens than these."""
SUMMARIES = 0.05
"""Of the budget, at most, for summaries."""
LATEST_SMALL, LATEST, LARGE = 0.15, 0.25, 2_000
"""Of what is left beside what never goes, at most, for the latest turns: of a budget below LARGE tokens the first."""
NEEDLESS = 2_000
"""Tokens that an input without a need is treated as having, at most: nothing has to be found for it."""
STATE = 0.15
"""Of the budget, what the task's state may take beyond its least, beside evidence."""


def latest(budget: int) -> float:
    return LATEST if budget >= LARGE else LATEST_SMALL
