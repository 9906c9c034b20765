"""A way to write a set of words down.

Law: imports nothing of the project.
"""


def words(listed: str) -> frozenset[str]:
    """Returns the words of a list written as running text, separated by white space."""
    return frozenset(listed.split())
