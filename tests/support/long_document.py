"""A long document that nobody wrote: pages of varied sentences, English and Chinese, the same every time."""

import random
from collections.abc import Iterator

WORDS_TO_A_PAGE = 500  # of a Chinese page, about as much: 900 characters

_ENGLISH = (
    "On {day} {month} {year}, {person} inspected the {thing} in {place} and found {number} defects.",
    "The {thing} of {place} was built by {person} in {year}; it cost {number} crowns.",
    "{person} measured {number} litres at the {thing}, which is {percent} percent more than in {year}.",
    "According to {person}, nobody had repaired the {thing} near {place} since {month} {year}.",
    "Why the {thing} of {place} stood still for {number} hours, {person} blamed on the frost of {month}.",
    "Document {number} records that {person} sold the {thing} to the council of {place}.",
    "In {place} the {thing} serves {number} households, as {person} reported to the ministry in {month} {year}.",
)
_CHINESE = (
    "{year}年{month}月{day}日，{person}在{place}检查了{thing}，发现{number}处缺陷。",
    "{place}的{thing}由{person}于{year}年建成，造价{number}万元。",
    "{person}在{thing}旁测得{number}升，比{year}年多百分之{percent}。",
    "据{person}说，{place}附近的{thing}自{year}年{month}月起无人修理。",
    "第{number}号文件记载，{person}把{thing}卖给了{place}议会。",
    "{place}的{thing}为{number}户居民供水，{person}在{year}年{month}月向部里作了报告。",
)
_ENGLISH_NAMES = {
    "person": "Anna Berg|Karl Brandt|Nils Holm|Mary Quill|Ivo Marek|Ruth Adler|Tom Penrose|Elsa Lind".split(
        "|"
    ),
    "place": "Harwick|Nordby|Elmstead|Port Vale|Grauburg|Sankt Olaf|Milford|Rosendal".split("|"),
    "thing": "water mill|lighthouse|canal lock|grain store|tram depot|weir|foundry|observatory|ferry pier".split(
        "|"
    ),
    "month": "January|March|April|June|August|September|November|December".split("|"),
}
_CHINESE_NAMES = {
    "person": "张伟|李娜|王芳|刘洋|陈静|赵磊|孙丽|周强".split("|"),
    "place": "临江镇|石桥村|青山县|白河港|南岭市|东湖区|古城乡|云台寨".split("|"),
    "thing": "水磨坊|灯塔|船闸|粮仓|电车库|拦河坝|铸造厂|天文台|渡口".split("|"),
    "month": [str(month) for month in range(1, 13)],
}


def pages(count: int, seed: int = 7) -> Iterator[tuple[str, list[str]]]:
    """Pages with a heading and paragraphs, every third one Chinese; each with its sentences."""
    chance = random.Random(seed)
    for number in range(1, count + 1):
        chinese = number % 3 == 0
        heading = (
            f"# 第{number}页 {chance.choice(_CHINESE_NAMES['thing'])}" if chinese else f"# Page {number}"
        )
        said: list[str] = []
        paragraphs = [heading]
        while sum(_length(sentence, chinese) for sentence in said) < WORDS_TO_A_PAGE:
            paragraph = [_sentence(chance, chinese) for _ in range(chance.randint(2, 6))]
            said += paragraph
            paragraphs.append(("" if chinese else " ").join(paragraph))
        yield "\n\n".join(paragraphs), said


def _sentence(chance: random.Random, chinese: bool) -> str:
    names = _CHINESE_NAMES if chinese else _ENGLISH_NAMES
    return chance.choice(_CHINESE if chinese else _ENGLISH).format(
        **{name: chance.choice(choices) for name, choices in names.items()},
        day=chance.randint(1, 28),
        year=chance.randint(1800, 2024),
        number=chance.randint(10, 9_999_999),
        percent=chance.randint(2, 99),
    )


def _length(sentence: str, chinese: bool) -> float:
    return len(sentence) / 1.8 if chinese else len(sentence.split())
