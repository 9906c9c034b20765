"""How like a query the centroids of clusters are, without any centroid being kept."""

from random import Random

import numpy as np
import pytest

from core.conversation.mid import centroid_cosines
from core.conversation.steps import MidDrop, MidPut, TurnDrop
from core.conversation.telling import told
from core.model.conversation import TurnCluster
from core.model.vector import Vector
from tests.support.conversations import EMBEDDER, Talk, turn

SAID = ("The ferry leaves at nine. " * 30, "数据库的备份每天做一次。", "Tickets cost twelve euros.", "再见！")


def plainly(talk: Talk, cluster: TurnCluster, query: Vector) -> float:
    """The cosine of a centroid that is made of its turns' vectors."""
    conversation, vectors = talk.conversation, []
    for step in cluster.steps:
        one = conversation.turn(step)
        made = [conversation.verbatim.vectors.get(ref) for ref in conversation.refs(one)]
        if all(vector is not None for vector in made):
            lengths = [span.end - span.start for span in told(one).spans]
            mean = sum(
                length * vector for length, vector in zip(lengths, made, strict=True) if vector is not None
            )
            vectors.append(mean / np.linalg.norm(mean))
    total = sum(vectors, np.zeros(len(query)))
    return float(total @ query / (np.linalg.norm(total) or 1.0))


def told_of(chance: Random, step: int) -> str:
    return f"{chance.choice(SAID)} {step} {chance.choice(SAID)}"


def test_a_centroid_is_as_like_a_query_as_one_made_of_its_turns_whatever_came_and_went() -> None:
    chance, talk, clusters = Random(17), Talk(), dict[str, TurnCluster]()
    steps: list[int] = []
    for step in range(1, 121):
        steps.append(step)
        talk.say(turn(step, told_of(chance, step), chance.choice(SAID)))
        if chance.random() < 0.6:
            talk.embed()
        name = f"c{chance.randrange(9)}"
        before = clusters.get(name, TurnCluster(cluster_id=name, steps=()))
        clusters[name] = TurnCluster(cluster_id=name, steps=(*before.steps, step))
        talk.change(MidPut(cluster=clusters[name]))
        if chance.random() < 0.15:
            gone = chance.choice(steps)
            steps.remove(gone)
            (of,) = [each for each in clusters.values() if gone in each.steps]
            left = TurnCluster(cluster_id=of.cluster_id, steps=tuple(s for s in of.steps if s != gone))
            clusters[of.cluster_id] = left
            leaving = MidPut(cluster=left) if left.steps else MidDrop(cluster_id=of.cluster_id)
            if not left.steps:
                del clusters[of.cluster_id]
            talk.change(leaving, TurnDrop(step=gone))
        if step % 10 == 0:
            query = EMBEDDER.vector(told_of(chance, step))
            cosines = centroid_cosines(talk.conversation, query)
            number_of = talk.conversation.clustered.number_of
            assert number_of.keys() == clusters.keys()
            for each in clusters.values():
                expected = plainly(talk, each, query)
                assert cosines[number_of[each.cluster_id]] == pytest.approx(expected, abs=1e-5)
    assert talk.conversation.unembedded
