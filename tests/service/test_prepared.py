"""What is ready before the first call is answered."""

from core.language.zh import segmenter
from tests.support.server import serving


async def test_the_first_chinese_word_waits_for_no_dictionary() -> None:
    segmenter._dictionary.cache_clear()

    async with serving():
        assert segmenter._dictionary.cache_info().currsize == 1
