"""The Clusterer with the embedder that is shipped, on prose and on real dialogues."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from core.agents.offline.clusterer import OfflineClusterer
from core.agents.roles import Piece
from core.text.segmenting import segment
from service.adapters.local_embedder import LocalEmbedder

DIALOGUES = Path(__file__).parents[5] / "shared" / "data" / "locomo_dev.json"

ENGLISH = """The lighthouse of Skerrow was lit in 1851. Its lamp burned whale oil, then paraffin from 1872.

Three keepers served the lamp in watches of four hours. The last keeper left the tower in April 1988.

Sourdough needs flour, water, salt and patience. A starter is fed once a day with equal parts of flour and water.

The dough rests for twelve hours at eighteen degrees. It is baked in a closed pot at 240 degrees for half an hour.

A crust that sings when it cools has been baked well. Rye flour makes the bread darker and keeps it moist.
"""
CHINESE = """人工智能在医疗领域的应用正在迅速扩展。
2022年，谷歌旗下的DeepMind公布了约2亿个蛋白质结构预测结果，为药物研发提供了基础数据。
影像诊断是最成熟的方向，肺结节检测的灵敏度已达到94.6%。

国内方面，联影智能和推想医疗先后获得三类医疗器械注册证。
截至2023年底，国家药监局共批准了70余款人工智能医疗器械。
医院采购价格从30万元到200万元不等。

与此同时，新能源汽车市场增长迅猛。
2023年中国新能源汽车销量达949.5万辆，同比增长37.9%。
比亚迪以302万辆位居全球第一，特斯拉上海工厂交付了94.7万辆。

动力电池方面，宁德时代占据全球36.8%的份额。
其麒麟电池系统能量密度达255Wh/kg，可支持1000公里续航。
固态电池预计2027年小批量装车。

充电设施也在加快建设。
全国充电桩保有量达859.6万台，车桩比约为2.4比1。
高速公路服务区覆盖率超过95%。
"""


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    opened = LocalEmbedder.open()
    yield opened
    opened.close()


async def groups(embedder: LocalEmbedder, pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    return [cluster.pieces for cluster in await OfflineClusterer(embedder).cluster(pieces, "")]


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
async def test_prose_without_headings_falls_into_its_two_topics(embedder: LocalEmbedder, text: str) -> None:
    pieces = [Piece(number=n, text=text[span.start : span.end]) for n, span in enumerate(segment(text))]

    assert await groups(embedder, pieces) == [(0, 1), (2, 3, 4)]


@pytest.mark.slow
@pytest.mark.skipif(not DIALOGUES.exists(), reason="the dialogues are not beside this checkout")
async def test_where_one_real_conversation_ends_and_another_begins_is_found(embedder: LocalEmbedder) -> None:
    samples = json.loads(DIALOGUES.read_text(encoding="utf-8"))
    sessions = [sample["conversation"][f"session_{n}"] for n in range(2, 6) for sample in samples]
    found, sizes = [], []
    for first, second in pairwise(sessions):
        turns = [*first, *second]
        pieces = [Piece(number=n, text=t["text"], speaker=t["speaker"]) for n, t in enumerate(turns)]
        clusters = await groups(embedder, pieces)
        before = [cluster for cluster in clusters if min(cluster) < len(first)]
        astray = sum(number >= len(first) for cluster in before for number in cluster)
        found.append(astray <= 1)
        sizes.append(len(turns) / len(clusters))

    share = sum(found) / len(found)
    print(f"{len(found)} pairs: told apart {share:.0%}, {sum(sizes) / len(sizes):.1f} turns a topic")
    assert share >= 0.8
