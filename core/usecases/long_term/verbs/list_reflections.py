"""ListReflections: reflections by id."""

from dataclasses import dataclass

from core.keys import CollectionKey
from core.model.record import Reflection
from core.usecases.long_term.ports import CollectionPorts
from core.usecases.long_term.reading import looking
from core.usecases.paging import BY_ID, DEFAULT_PAGE, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReflections:
    key: CollectionKey
    category: str = ""
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionsListed:
    reflections: tuple[Reflection, ...]
    next_page_token: str
    revision: int


async def list_reflections(ports: CollectionPorts, command: ListReflections) -> ReflectionsListed:
    """Raises InvalidField (page_token), CollectionNotFound, RevisionNotReached."""
    async with looking(ports, command.key, command.min_revision) as opened:
        made = (
            r
            for r in opened.collection.reflections.values()
            if r.text and command.category in ("", r.category)
        )
        page = page_of(
            command, made, lambda r: (r.reflection_id,), BY_ID, command.page_token, command.page_size
        )
        return ReflectionsListed(
            reflections=page.items,
            next_page_token=page.next_page_token,
            revision=opened.collection.revision,
        )
