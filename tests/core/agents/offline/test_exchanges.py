import re

import pytest

from core.agents.memory_roles import Passage, PassageKind
from core.agents.offline.exchanges import pieces


@pytest.mark.parametrize("asked", ["1" * 400, "订单" * 10 + "20260415" * 40 + "到了吗？"])
def test_a_question_that_is_cut_keeps_no_half_of_a_figure(asked: str) -> None:
    said = [
        Passage(number=0, step=1, kind=PassageKind.INPUT, speaker="User", text=asked),
        Passage(
            number=1, step=1, kind=PassageKind.REPLY, speaker="Assistant", text="It came on Monday at nine."
        ),
    ]

    texts = [line.text for piece in pieces(said) for line in piece.lines]

    assert any(text.startswith("…") for text in texts)
    assert set(re.findall(r"\d+", " ".join(texts))) <= set(re.findall(r"\d+", asked))
