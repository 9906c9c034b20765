"""Makes the sentences that the Reader learns from: templates in twelve languages, filled with words by a seed.

The form of a file of `templates`: `SLOT: word|word` at the top; then sections. `== told user lasting life limit` says
how its templates are to be read (core.ports.reader), `== not …` that they are not told as true. `== leads`: what may
stand around what is told, `== leads of anything`: around any sentence, `== quotes`: what makes of a told sentence one
that is not told, `== joins`: how two told ones become one sentence. An empty line ends a family of templates that
resemble each other.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.ports.reader import About

FOLDER = Path(__file__).parent / "templates"
LANGUAGES = ("en", "zh", "de", "fr", "es", "it", "pt", "ru", "ja", "ko", "ar", "vi")

SLOT = re.compile(r"\{([A-Z]+)\}")
END = re.compile(r"[.。]$")
CASED = re.compile(r"I\b|[A-ZÄÖÜ]{2}|\{")  # what stays in capitals behind a lead
NOUNS_IN_CAPITALS = "de"
WIDE = ("zh", "ja")  # languages with signs of their own
NO_NOUNS = ("Ich", "Wir", "Meine", "Mein", "Man", "Am", "Im", "Seit", "Unser")
FILLINGS = (1, 3, 4)  # of a template with no slot, one, more
JOINED = 0.12  # share of the told sentences of the user that another is joined to
QUOTED = 9  # sentences that one quoting template is put around
UNCUT = 0.6  # share of the quoted sentences that keep their full stop
LED = 0.35  # share of the sentences that something stands before
SMALL, UNENDED, LOUD = (
    0.05,
    0.12,
    0.06,
)  # share in small letters, without a full stop, with an exclamation mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sentence and how it is to be read. Of what is not told only `asserted` is known: the rest is None."""

    text: str
    language: str
    template: str
    family: str
    kind: str = ""
    asserted: bool
    lasting: bool | None = None
    about: About | None = None
    limit: bool | None = None
    correction: bool | None = None
    category: str | None = None


@dataclass(slots=True)
class Templates:
    """One language's file."""

    slots: dict[str, list[str]] = field(default_factory=dict)
    sections: list[tuple[list[str], list[list[str]]]] = field(default_factory=list)

    def of(self, *head: str) -> list[str]:
        return [
            line for name, families in self.sections if name == list(head) for f in families for line in f
        ]

    @classmethod
    def read(cls, path: Path) -> "Templates":
        found = cls()
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                found.sections.append((line[3:].split(), [[]]))
            elif not found.sections and re.match(r"[A-Z]+: ", line):
                name, words = line.split(": ", 1)
                found.slots[name] = words.split("|")
            elif found.sections and not line.strip():
                found.sections[-1][1].append([])
            elif found.sections:
                found.sections[-1][1][-1].append(line)
        return found


def examples(seed: int, languages: Sequence[str] = LANGUAGES) -> list[Example]:
    """Returns the sentences of all languages, each once. What a template gives does not depend on others."""
    found: dict[str, Example] = {}
    for language in languages:
        templates = Templates.read(FOLDER / f"{language}.txt")
        for example in (*_of_sections(templates, language, seed), *_of_quotes(templates, language, seed)):
            found.setdefault(example.text, example)
    return list(found.values())


def _of_sections(templates: Templates, language: str, seed: int) -> Iterator[Example]:
    for number, (head, families) in enumerate(templates.sections):
        if head[0] not in ("told", "not"):
            continue
        lasts = head[0] == "told" and "lasting" in head
        leads = templates.of("leads") if lasts else templates.of("leads", "of", "anything")
        joins = templates.of("joins") if lasts and "correction" not in head else []
        for place, family in enumerate(families):
            for line in family:
                chance = random.Random(f"{seed} {language} {line}")
                example = _labelled(head, language, line, f"{language} {number}.{place}")
                for _ in range(FILLINGS[min(2, len(SLOT.findall(line)))]):
                    text = _filled(_led(line, leads, language, chance), templates.slots, chance)
                    yield replace(example, text=_varied(text, language, chance))
                if joins and chance.random() < JOINED:
                    joined = _joined(line, chance.choice(family), joins, language, chance)
                    yield replace(example, text=_filled(joined, templates.slots, chance))


def _of_quotes(templates: Templates, language: str, seed: int) -> Iterator[Example]:
    told = [
        line
        for head, families in templates.sections
        if head[0] == "told" and "lasting" in head and "correction" not in head
        for family in families
        for line in family
    ]
    for quote in templates.of("quotes"):
        chance = random.Random(f"{seed} {language} {quote}")
        name = f"{language} {quote}"
        for _ in range(QUOTED):
            line = chance.choice(told)
            inner = line if chance.random() < UNCUT else END.sub("", line)
            around = quote.replace("{S}", inner).replace("{s}", _lower(inner, language))
            text = _filled(around, templates.slots, chance)
            yield Example(
                text=text, language=language, template=name, family=name, kind="quotes", asserted=False
            )


def _joined(line: str, other: str, joins: Sequence[str], language: str, chance: random.Random) -> str:
    first, second = END.sub("", line), _lower(other, language)
    return chance.choice(joins).replace("{S1}", first).replace("{s2}", second)


def _labelled(head: Sequence[str], language: str, line: str, family: str) -> Example:
    """Returns an example without its text, read as its section says."""
    example = Example(
        text="", language=language, template=f"{language} {line}", family=family, kind=head[1], asserted=False
    )
    if head[0] == "not":
        return example
    return replace(
        example,
        kind="told" if "lasting" in head else "passing",
        asserted=True,
        lasting="lasting" in head,
        about=About(head[1]),
        limit="limit" in head,
        correction="correction" in head,
        category=head[3],
    )


def _led(line: str, leads: Sequence[str], language: str, chance: random.Random) -> str:
    if chance.random() >= LED:
        return line
    return chance.choice(leads).replace("{S}", line).replace("{s}", _lower(line, language))


def _lower(line: str, language: str) -> str:
    if CASED.match(line):
        return line
    first = line.split(maxsplit=1)[0]
    if language == NOUNS_IN_CAPITALS and first not in NO_NOUNS:
        return line
    return line[0].lower() + line[1:]


def _filled(line: str, slots: Mapping[str, Sequence[str]], chance: random.Random) -> str:
    used: set[str] = set()

    def word(slot: re.Match[str]) -> str:
        if slot[1] not in slots:
            return slot[0]
        left = [one for one in slots[slot[1]] if one not in used]
        chosen = chance.choice(left or slots[slot[1]])
        used.add(chosen)
        return chosen

    filled = SLOT.sub(word, line)
    return filled[0].upper() + filled[1:]


def _varied(text: str, language: str, chance: random.Random) -> str:
    wide = language in WIDE
    if chance.random() < UNENDED:
        text = END.sub("", text)
    elif chance.random() < LOUD:
        text = END.sub("！" if wide else "!", text)
    if not wide and language != NOUNS_IN_CAPITALS and chance.random() < SMALL:
        text = text.lower()
    return text
