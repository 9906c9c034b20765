"""Source document 000, Agentic Memory Bank: each of its requirements, and that it holds.

`make check` prints them as a table.
"""

import asyncio
from collections.abc import Callable, Iterator

import pytest
import structlog

from tests.source_documents.document_000 import a_merge, a_task
from tests.source_documents.document_000.agents import AGENTS
from tests.source_documents.document_000.architecture import ARCHITECTURE
from tests.source_documents.document_000.data_flow import DATA_FLOW
from tests.source_documents.document_000.modules import INTERFACES, MODULES
from tests.source_documents.document_000.scenes import MERGE, TASK
from tests.source_documents.printing import PROPERTY, reported
from tests.source_documents.requirement import Requirement, cases, check

DOCUMENT = "000 Agentic Memory Bank"
REQUIREMENTS = [*ARCHITECTURE, *MODULES, *AGENTS, *INTERFACES, *DATA_FLOW]
SCENES = {MERGE: a_merge.play, TASK: a_task.play}


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], object]]:
    """Plays a scene when it is first asked for, and remembers it."""
    played: dict[str, object] = {}

    def once(name: str) -> object:
        if name not in played:
            played[name] = asyncio.run(SCENES[name](tmp_path_factory.mktemp("scene")))
        return played[name]

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("warning"))
    yield once
    structlog.reset_defaults()


@pytest.mark.parametrize(("document", "requirement"), cases(DOCUMENT, REQUIREMENTS))
def test_the_requirement_holds(
    document: str,
    requirement: Requirement,
    play: Callable[[str], object],
    record_property: Callable[[str, object], None],
) -> None:
    record_property(PROPERTY, reported(document, requirement))

    check(requirement, play)
