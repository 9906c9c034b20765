"""A topic's context: one line that says what it is about, in the text's own words.

Law: pure and extractive: headings, else the sentence that speaks of the keywords most, clipped.
Related topics are named, briefly, in a bracket behind it, which can be taken off again.
"""

import re
from collections.abc import Collection, Sequence

from core.agents.offline import salience
from core.agents.offline.forms import title_of_form
from core.agents.offline.statements import Statement, statements
from core.language import cue, language_of
from core.text import analysis
from core.text.outline import Heading
from core.text.relations import RELATION
from core.text.scripts import display_width

WIDEST = 100  # columns
SHORT_TITLE = 24  # columns; a shorter heading gets a sentence beside it

MARKUP = re.compile(r"\*\*|__|`|^[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)、][ \t]*|>[ \t]*|\|[ \t]*)+", re.MULTILINE)
CODE = re.compile(r"[{}\[\]=]|\w\(|\": ?\"|https?://|[│┌└├]")
SPACES = re.compile(r"\s+")
TELLING_NAME = 12  # columns; what is shorter before a colon may be a speaker ("Maria: …"), or "概述"
SHORT_HEAD = 4  # words
NAME_WIDTH = 40  # columns of a topic's short name: some twenty Chinese characters
MOST_NAMED = 6  # topics in the bracket behind a context
MID_SENTENCE = re.compile(r"[a-z]|[,;:.)\]}–—…，。；：、）]|[A-Z]\.\s+[A-Z][a-z]+\b")
WHOLE_SHARE = 0.25
_ANYTHING = cue("any_heading", re.IGNORECASE)
NOTHING = ("", "。", ".")
BRACKET = re.compile(r"\s*(?:（[^（）]*）|\([^()]*\))$")
BRACKETS = str.maketrans("", "", "（）()")
HEADED = re.compile(r"([^：:。，,;；]+?)\s*(?:：|: )")
SENTENCE = re.compile(r"[。.!?！？，；;…]\s*$|[，。；]|[.!?;] ")


def context_of(texts: Sequence[str], keywords: Sequence[str], headings: Sequence[Heading] = ()) -> str:
    """Returns one line of at most `WIDEST` columns on what `texts` are about; never empty for texts that are not. A
    heading that may stand above anything ("Notes") is told only where nothing else is."""
    whole = "\n".join(texts)
    sentence = title_of_form(whole) or _telling(whole, keywords)
    titles = list(dict.fromkeys(plain(heading.title) for heading in headings))
    if sentence:
        titles = [title for title in titles if not _ANYTHING.fullmatch(title)]
    if not titles:
        return clipped(sentence or plain(" ".join(texts)))
    marks = language_of("".join(titles)).marks
    named = titles[0]
    for title in titles[1:]:
        longer = named + marks.titles + title
        if display_width(longer) > WIDEST:
            break
        named = longer
    if display_width(named) < SHORT_TITLE and sentence:
        named += marks.colon + sentence
    return clipped(named)


def _telling(content: str, keywords: Sequence[str]) -> str:
    """Returns the sentence that has the most keywords in the fewest words, early ones first; "" for none."""
    stated = _whole_ones(statements(content))
    if not stated:
        return ""
    wanted = frozenset(analysis.terms(" ".join(keywords)))
    worth = salience.scores([one.text for one in stated])
    best = max(worth) or 1.0

    def telling(index: int) -> float:
        text = stated[index].text
        covered = len(wanted & set(analysis.terms(text))) / max(1, len(wanted))
        over = min(1.0, max(0, display_width(text) - WIDEST) / WIDEST)
        late = index / len(stated)
        return covered + 0.5 * worth[index] / best - 0.4 * over - 0.4 * late - 0.5 * bool(CODE.search(text))

    chosen = stated[max(range(len(stated)), key=telling)]
    return plain(chosen.label + chosen.text)


def _whole_ones(stated: Sequence[Statement]) -> Sequence[Statement]:
    """Returns those that do not begin in mid-sentence; all where most begin small, as people write to each other."""
    whole = [one for one in stated if one.label or not MID_SENTENCE.match(one.text)]
    return whole if len(whole) >= WHOLE_SHARE * len(stated) else stated


def plain(text: str) -> str:
    """`text` on one line, without Markdown's marks."""
    return SPACES.sub(" ", MARKUP.sub("", text)).strip()


def clipped(text: str, widest: int = WIDEST) -> str:
    """`text` within `widest` columns, cut between words and marked so."""
    if display_width(text) <= widest:
        return text
    end = min(len(text), widest)
    while display_width(text[:end]) > widest - 1:
        end -= 1
    space = max(text.rfind(" ", end - 15, end), text.rfind("\n", end - 15, end))
    return text[: space if space > 0 and text[end].isascii() else end].rstrip(" ,;:，；：、") + "…"


def related_to(
    context: str, other: str, keywords: Sequence[str] = (), instead_of: Collection[str] = ()
) -> str:
    """`context` with a bracket that names the topics it is related to, this one last, in the context's language.

    `other` and `keywords` are that topic's; `instead_of` are names that it takes the place of. The bracket stands
    apart, behind a full stop at the end, and has the latest `MOST_NAMED`.
    """
    own = unrelated(context)
    named = name_beside(own, other, keywords)
    if not named or own in NOTHING:
        return own
    before = [name for name in related_names(context) if name not in (named, *instead_of)]
    names = [*before, named][-MOST_NAMED:]
    phrases = language_of(own + named).phrases
    return own + phrases.topics.related.format(phrases.marks.parts.join(names))


def name_beside(own: str, other: str, keywords: Sequence[str]) -> str:
    """Returns the name of another topic in a context: a keyword that the context has itself adds nothing."""
    telling = [keyword for keyword in keywords if keyword.lower() not in own.lower()] or keywords
    named = short_name(other, telling)
    if telling and own.startswith(named):  # two parts of one section
        named = _plain_name(_listed(telling))
    return named


def related_names(context: str) -> list[str]:
    """Returns the topics that the bracket behind a context names, in order."""
    found = RELATION.search(context)
    if found is None:
        return []
    *listed, _ = found.groups()
    inner = next(filter(None, listed))
    return [name.strip() for name in re.split("[；;]", inner) if name.strip()]


def unrelated(context: str) -> str:
    """`context` without brackets that relate it to other topics."""
    while (shorter := RELATION.sub(r"\g<stop>", context)) != context and shorter not in NOTHING:
        context = shorter
    return context


def topic_name(context: str) -> str:
    """Returns a topic's name in another one's context: its own context without brackets, clipped."""
    own = unrelated(context).rstrip(" .。;；")
    return clipped(BRACKET.sub("", own) or own, WIDEST * 3 // 5)


def short_name(context: str, keywords: Sequence[str]) -> str:
    """Returns a topic's short name, in `NAME_WIDTH` columns: its heading, else its keywords."""
    own = topic_name(context)
    headed = HEADED.match(own)
    name = BRACKET.sub("", headed[1]) if headed else own
    sentence = SENTENCE.search(name) or (headed is None and unrelated(context).endswith(("。", ".")))
    sentence = sentence or (headed is not None and _tells(name))
    brief = headed is not None and " " not in name and display_width(name) < TELLING_NAME
    if keywords and (sentence or brief or _too_wide(name)):
        name = _listed(keywords)
    return _plain_name(name)


def _tells(name: str) -> bool:
    """Whether what stands before a colon is most of a sentence: "The page was read in the original: …"."""
    words = name.split()
    return len(words) > SHORT_HEAD and sum(map(str.islower, words)) * 2 > len(words)


def _plain_name(name: str) -> str:
    return clipped(name.translate(BRACKETS), NAME_WIDTH)


def _too_wide(name: str) -> bool:
    return display_width(name) > NAME_WIDTH


def _listed(keywords: Sequence[str]) -> str:
    """Returns the first keywords, as many as fit."""
    mark = language_of("".join(keywords)).marks.listed
    named = keywords[0]
    for keyword in keywords[1:3]:
        if _too_wide(longer := named + mark + keyword):
            break
        named = longer
    return named
