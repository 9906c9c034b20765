"""ListClusters: the mid tier, by the first steps of its clusters."""

from dataclasses import dataclass

from core.keys import ConversationKey
from core.model.conversation import ClusterHits, TurnCluster
from core.usecases.house import House
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListClusters:
    key: ConversationKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClustersListed:
    """Each cluster with its hits, None if it was never recalled."""

    clusters: tuple[tuple[TurnCluster, ClusterHits | None], ...]
    next_page_token: str
    revision: int


async def list_clusters(house: House, command: ListClusters) -> ClustersListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with house.conversations.reading(command.key, command.min_revision) as conversation:
        page = page_of(
            command,
            conversation.clusters.values(),
            lambda cluster: (cluster.steps[0],),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        return ClustersListed(
            clusters=tuple((each, conversation.hits.get(each.cluster_id)) for each in page.items),
            next_page_token=page.next_page_token,
            revision=conversation.revision,
        )
