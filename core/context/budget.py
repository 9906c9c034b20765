"""Fitting memories into a token budget, and saying what was left out.

Law: pure. What is marked `fixed` is never touched. A section with a share of the budget is cut to that first, its
title with it, and loses more only when nothing else is left. Of the rest what is spare goes first, then tier by tier,
the lowest first, the lightest: what has a shorter form is shortened, what has none is dropped; if that is not enough,
what was shortened is dropped, again the lightest first. So what weighs most in a tier stays whole as long as each can
stand at all. The order of sections and items never changes. Last, what was lost comes back as far as the room that is
left holds it, in a share as in the whole: what went last comes first, so nothing of a lower tier takes the place of
what is of a higher one and would have fitted. An item does not stand without those that it requires: two that require
each other are lost together, and stand again together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.context.sections import Assembly, Item, LeftOut, Loss, Section, SectionSize, Standing, Tier
from core.errors import BudgetTooSmall
from core.text.tokens import LINE_BREAK, PARTS, tokens_of, weight

LEAST_LEFT = 8 * PARTS
"""Room below which nothing is looked for that might fill it."""
BELOW_TIERS = -1
"""Where what is spare comes back: behind all tiers."""


def assemble(sections: Sequence[Section], budget: int | None, field: str) -> Assembly:
    """Renders all sections as one text of at most `budget` tokens (None: no bound).

    Raises BudgetTooSmall naming `field` when what is fixed does not fit.
    """
    pages = [_Page(section) for section in sections]
    requiring = _requiring(pages)
    if budget is not None:
        for page in pages:
            if page.section.share is not None:
                _lose([page], -page.left_of_share(budget), requiring)
                _restore([page], pages, lambda page: page.left_of_share(budget))
        for loose in ([p for p in pages if p.section.share is None], pages):
            _lose(loose, _weight(pages) - budget * PARTS, requiring)
        _restore(pages, pages, lambda page: _left(page, pages, budget))
    total = tokens_of(_weight(pages))
    if budget is not None and total > budget:
        raise BudgetTooSmall(field, total, budget)
    texts = {page.section.name: page.text() for page in pages if page.lines}
    return Assembly(
        text="\n\n".join(texts.values()),
        tokens=total,
        sections=tuple(page.size() for page in pages if page.lines),
        left_out=tuple(lost for page in pages for lost in page.left_out()),
        texts=texts,
    )


class _Loss(NamedTuple):
    """What may be lost of the item at a place of a page; `left` is what it weighs then."""

    page: "_Page"
    place: int
    kind: Loss
    left: int

    @property
    def item(self) -> Item:
        return self.page.section.items[self.place]


class _Page:
    """A section, what stands of each of its items, and what all that weighs.

    A line's weight has its break in it, and a page's the empty line behind it.
    """

    def __init__(self, section: Section) -> None:
        self.section = section
        self.lost: dict[int, _Loss] = {}
        self.weights = [
            (item.takes or weight(item.full)) + LINE_BREAK if item.full else 0 for item in section.items
        ]
        self.lines = len(self.weights) - self.weights.count(0)
        self._whole = tuple(self.weights)
        self._shorts: dict[int, int] = {}
        self._group_of, self._standing = _groups(section.items)
        self._title = _heading(section.title_line)
        self._body = sum(self.weights) + sum(_heading(name) for name, _ in self._standing)
        self._dropped = 0
        self._more = ""

    @property
    def weight(self) -> int:
        return self._title + self._body + LINE_BREAK if self.lines else 0

    @property
    def loose(self) -> int:
        """The weight of what is not fixed, and of the title, where nothing fixed stands under it."""
        fixed = sum(each for each, item in zip(self.weights, self.section.items, strict=True) if item.fixed)
        return self._body - fixed - LINE_BREAK if fixed else self.weight - 2 * LINE_BREAK

    def left_of_share(self, budget: int) -> int:
        """Returns what is left of the section's share of a budget, without one of all of it; negative: what is too
        much."""
        share = self.section.share
        return budget * PARTS if share is None else int(share * budget) * PARTS - self.loose

    def lose(self, loss: _Loss) -> int:
        """Shortens or drops an item; returns by how much the page is lighter for it."""
        before = self._body
        self.put(loss.place, loss)
        return before - self._body if self.lines else before + self._title + LINE_BREAK

    def put(self, place: int, loss: _Loss | None) -> None:
        """Lets an item stand as a loss leaves it; None: whole."""
        was, left = self.weights[place], self._whole[place] if loss is None else loss.left
        if loss is None:
            self.lost.pop(place, None)
        else:
            self.lost[place] = loss
        self.weights[place] = left
        self._body += left - was
        if bool(left) is not bool(was):
            change = 1 if left else -1
            self.lines += change
            self._dropped -= change
            self._stand(place, change)
            self._tell_more()

    def takes(self, place: int, loss: _Loss | None) -> int:
        """Weighs by how much more an item would take than it does, what goes with its line left out."""
        return (self._whole[place] if loss is None else loss.left) - self.weights[place]

    def _stand(self, place: int, change: int) -> None:
        """Counts what stands under the line of an item's group, which goes with the last and comes with the first."""
        group = self._group_of[place]
        if group is None:
            return
        name, count = self._standing[group]
        self._standing[group] = (name, count + change)
        if not count or not count + change:
            self._body += change * _heading(name)

    def shorter(self, place: int) -> _Loss | None:
        """Returns the loss of shortening the item; None where it has no form shorter than the one that stands."""
        short = self.short_of(place)
        return short if short is not None and short.left < self.weights[place] else None

    def short_of(self, place: int) -> _Loss | None:
        """Returns the loss of showing the item's shorter form; None where it has none that is shorter than it."""
        if place not in self._shorts:
            item = self.section.items[place]
            self._shorts[place] = item.short_takes + LINE_BREAK if item.short_takes else _line(item.short)
        short = self._shorts[place]
        return _Loss(self, place, Loss.SHORTENED, short) if 0 < short < self._whole[place] else None

    def _tell_more(self) -> None:
        if self.section.more is not None:
            self._body -= _line(self._more)
            self.lines -= bool(self._more)
            self._more = self.section.more(self._dropped) if self._dropped else ""
            self.lines += bool(self._more)
            self._body += _line(self._more)

    def text(self) -> str:
        """Renders what stands; how much more there was stands behind the last of what could be dropped."""
        items = self.section.items
        texts = [self._shown(place, item) for place, item in enumerate(items)]
        seen: set[int] = set()
        for place, text in enumerate(texts):
            group = self._group_of[place]
            if text and group is not None and group not in seen:
                seen.add(group)
                texts[place] = f"{items[place].group}\n{text}"
        if self._more:
            last = max(place for place, item in enumerate(items) if not item.fixed)
            texts.insert(last + 1, self._more)
        return "\n".join(filter(None, (self.section.title_line, *texts)))

    def _shown(self, place: int, item: Item) -> str:
        loss = self.lost.get(place)
        if loss is None:
            return item.full
        return item.short if loss.kind is Loss.SHORTENED else ""

    def size(self) -> SectionSize:
        items = tuple(
            Standing(item.item_id, _tokens(weight), item.copies, item.handle)
            for item, weight in zip(self.section.items, self.weights, strict=True)
            if weight
        )
        return SectionSize(
            name=self.section.name, tokens=tokens_of(self.weight - 2 * LINE_BREAK), items=items
        )

    def left_out(self) -> Iterator[LeftOut]:
        """Yields what was lost, in order."""
        name, items, whole = self.section.name, self.section.items, self._whole
        for place, loss in sorted(self.lost.items()):
            saved = _tokens(whole[place]) - (_tokens(loss.left) if loss.left else 0)
            is_shorter = loss.kind is Loss.SHORTENED
            kind = Loss.CONTESTED if items[place].is_pair and not is_shorter else loss.kind
            yield LeftOut(name, items[place].item_id, kind, saved)


def _line(text: str) -> int:
    return weight(text) + LINE_BREAK if text else 0


_heading = lru_cache(64)(_line)
"""The same of headings: every prompt has those of a few."""


def _tokens(line: int) -> int:
    """Counts the tokens of a line by its weight, its break left out."""
    return tokens_of(line - LINE_BREAK) if line else 0


def _weight(pages: Iterable[_Page]) -> int:
    """Weighs the text of all pages."""
    return max(0, sum(page.weight for page in pages) - 2 * LINE_BREAK)


Requiring = Mapping[str, Sequence[tuple[_Page, int]]]
"""By the id of an item what does not stand without it: pages and places."""


def _requiring(pages: Sequence[_Page]) -> Requiring:
    """Returns what requires what; drops at once what requires an item that is not there."""
    places = [
        (page, place, item.requires)
        for page in pages
        for place, item in enumerate(page.section.items)
        if item.requires and item.full
    ]
    if not places:
        return {}
    there = {item.item_id for page in pages for item in page.section.items}
    requiring: dict[str, list[tuple[_Page, int]]] = {}
    for page, place, required in places:
        if not there.issuperset(required):
            page.lose(_Loss(page, place, Loss.CONTESTED, 0))
        for name in required:
            requiring.setdefault(name, []).append((page, place))
    return requiring


def _lose(pages: Sequence[_Page], excess: int, requiring: Requiring) -> None:
    """Takes the fewest losses that are worth `excess`; all, if that cannot be."""
    if excess <= 0:
        return
    for loss in _losses(pages):
        if not loss.page.weights[loss.place]:
            continue  # it went with what it requires
        for each in (loss, *_following(loss, requiring)):
            excess -= each.page.lose(each)
        if excess <= 0:
            return


def _following(loss: _Loss, requiring: Requiring) -> list[_Loss]:
    """Returns the losses of what does not stand without what was dropped."""
    if loss.kind is Loss.SHORTENED or not requiring:
        return []
    places = requiring.get(loss.item.item_id, ())
    return [_Loss(page, place, Loss.CONTESTED, 0) for page, place in places if page.weights[place]]


Left = Callable[[_Page], int]
"""Returns the room that is left for what comes back on a page."""


def _left(page: _Page, pages: Sequence[_Page], budget: int) -> int:
    return min(budget * PARTS - _weight(pages), page.left_of_share(budget))


def _restore(lossy: Sequence[_Page], pages: Sequence[_Page], left: Left) -> None:
    """Lets what was lost of the `lossy` ones among the pages come back, as far as there is room."""
    if not any(page.lost for page in lossy):
        return
    room = {page: left(page) for page in lossy}
    for page, place, form in _returns(lossy):
        if max(room.values()) < LEAST_LEFT:
            return
        if 0 < page.takes(place, form) <= room[page] and _returned(page, place, form, pages, left):
            room = {each: left(each) for each in lossy}


def _returned(page: _Page, place: int, form: _Loss | None, pages: Sequence[_Page], left: Left) -> bool:
    """Lets an item stand in a form, and where it was dropped with it what it requires: all of that, or nothing."""
    before = [(page, place, page.lost[place])]
    if page.weights[place]:
        page.put(place, form)
    else:
        before += _lost_of(page.section.items[place].requires, pages)
        for each, at, _ in before:
            each.put(at, None if form is None else each.short_of(at))
    if all(left(each) >= 0 and _has_all(each.section.items[at], pages) for each, at, _ in before):
        return True
    for each, at, loss in before:
        each.put(at, loss)
    return False


def _lost_of(names: Sequence[str], pages: Sequence[_Page]) -> list[tuple[_Page, int, _Loss]]:
    """Returns what was dropped of items, by their ids."""
    if not names:
        return []
    return [
        (page, place, loss)
        for page in pages
        for place, loss in page.lost.items()
        if not loss.left and loss.item.item_id in names
    ]


def _has_all(item: Item, pages: Sequence[_Page]) -> bool:
    """Whether all that an item requires stands."""
    if not item.requires:
        return True
    standing = {
        each.item_id
        for page in pages
        for each, weight_ in zip(page.section.items, page.weights, strict=True)
        if weight_
    }
    return standing.issuperset(item.requires)


def _groups(items: Sequence[Item]) -> tuple[list[int | None], list[tuple[str, int]]]:
    """Returns the number of each item's group, None without one; and of each group its line and how many stand."""
    numbers: list[int | None] = []
    groups: list[tuple[str, int]] = []
    for item in items:
        if not item.group or not item.full:
            numbers.append(None)
            continue
        if not (numbers and numbers[-1] is not None and groups[-1][0] == item.group):
            groups.append((item.group, 0))
        groups[-1] = (item.group, groups[-1][1] + 1)
        numbers.append(len(groups) - 1)
    return numbers, groups


def _losses(pages: Sequence[_Page]) -> Iterator[_Loss]:
    """Yields what may be lost, in the order of the module's law; as a rule the first few are enough."""
    loose = [
        (weight_, -place, number, item)
        for number, page in enumerate(pages)
        for place, (item, weight_) in enumerate(zip(page.section.items, page.section.weights, strict=True))
        if not item.fixed
    ]
    loose.sort()
    tiers: dict[Tier, list[tuple[_Page, int, Item]]] = {tier: [] for tier in Tier}
    for _, back, number, item in loose:
        page = pages[number]
        tiers[item.tier].append((page, -back, item))
        if item.spare and (shorter := page.shorter(-back)):
            yield shorter
    for places in tiers.values():
        shortened = []
        for page, place, item in places:
            if not page.weights[place]:
                continue
            dropped = _Loss(page, place, Loss.DROPPED, 0)
            if item.spare or not item.short or not (shorter := page.shorter(place)):
                yield dropped
            else:
                shortened.append(dropped)
                yield shorter
        yield from shortened


def _returns(pages: Sequence[_Page]) -> Iterator[tuple[_Page, int, _Loss | None]]:
    """Yields in which form what was lost may come back (None: whole), in the reverse order of `_losses`."""
    found: list[tuple[tuple[int, bool, float, int, int], tuple[_Page, int, _Loss | None]]] = []
    for number, page in enumerate(pages):
        weights = page.section.weights if page.lost else ()
        for place, loss in page.lost.items():
            shorter, spare = page.short_of(place), loss.item.spare
            key = (weights[place], -place, number)
            if shorter and not loss.left:
                found.append(((loss.item.tier, not spare, *key), (page, place, shorter)))
            tier = BELOW_TIERS if spare and shorter else loss.item.tier
            found.append(((tier, False, *key), (page, place, None)))
    found.sort(key=lambda each: each[0], reverse=True)
    return (each for _, each in found)
