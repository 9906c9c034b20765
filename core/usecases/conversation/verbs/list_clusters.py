"""ListClusters: the mid tier, by the first steps of its clusters, each with words that say what it is about.

Law: a label is made when it is first asked for, and kept with the cluster as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.agents.offline.labels import labels
from core.agents.offline.thinking import think
from core.conversation.conversation import Conversation
from core.keys import ConversationKey
from core.model.conversation import ClusterHits, TurnCluster
from core.usecases.paging import BY_NUMBER, DEFAULT_PAGE, page_of
from core.usecases.ports import HasConversations

TURNS_READ = 12  # of a cluster, for its label: the newest
CHARACTERS_READ = 500  # of each


@dataclass(frozen=True, slots=True, kw_only=True)
class ListClusters:
    key: ConversationKey
    page_size: int = DEFAULT_PAGE
    page_token: str = ""
    min_revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClustersListed:
    """Each cluster with its hits, None if it was never recalled, and its label."""

    clusters: tuple[tuple[TurnCluster, ClusterHits | None, str], ...]
    next_page_token: str
    revision: int


async def list_clusters(ports: HasConversations, command: ListClusters) -> ClustersListed:
    """Raises ConversationNotFound, RevisionNotReached, InvalidField (page_token)."""
    async with ports.conversations.reading(command.key, command.min_revision) as conversation:
        page = page_of(
            command,
            conversation.clusters.values(),
            lambda cluster: (cluster.steps[0],),
            BY_NUMBER,
            command.page_token,
            command.page_size,
        )
        found = [(each, conversation.hits.get(each.cluster_id)) for each in page.items]
        unlabelled = [each for each in page.items if _label_of(each) is None]
        texts = [_texts(conversation, each) for each in unlabelled]
        revision = conversation.revision
    if texts:
        for each, label in zip(unlabelled, await think(labels, texts), strict=True):
            each.keep_shown(label)
    return ClustersListed(
        clusters=tuple((each, hits, _label_of(each) or "") for each, hits in found),
        next_page_token=page.next_page_token,
        revision=revision,
    )


def _label_of(cluster: TurnCluster) -> str | None:
    """Returns the label that is kept with a cluster; None before it is made."""
    label: str | None = getattr(cluster, "shown", None)
    return label


def _texts(conversation: Conversation, cluster: TurnCluster) -> Sequence[str]:
    turns = [conversation.turn(step) for step in cluster.steps[-TURNS_READ:]]
    return [f"{turn.input}\n{turn.reply}"[:CHARACTERS_READ] for turn in turns]
