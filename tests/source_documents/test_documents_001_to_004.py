"""Source documents 001 to 004: each of their requirements, and the test elsewhere that proves it.

`make check` prints them as tables.
"""

from collections.abc import Callable

import pytest

from tests.source_documents.document_001 import INSTRUCTIONS
from tests.source_documents.document_002 import LAYERED
from tests.source_documents.document_003 import CONVERSATION
from tests.source_documents.document_004 import REASONING
from tests.source_documents.printing import PROPERTY, reported
from tests.source_documents.requirement import Requirement, cases, check

ROWS = [
    *cases("001 instructions that are always loaded", INSTRUCTIONS),
    *cases("002 layered memory that learns", LAYERED),
    *cases("003 a conversation in tiers", CONVERSATION),
    *cases("004 memory for reasoning in a loop", REASONING),
]


def no_scene(name: str) -> object:
    raise AssertionError(f"these documents have no scene {name}")


@pytest.mark.parametrize(("document", "requirement"), ROWS)
def test_the_requirement_holds(
    document: str, requirement: Requirement, record_property: Callable[[str, object], None]
) -> None:
    record_property(PROPERTY, reported(document, requirement))

    check(requirement, no_scene)
