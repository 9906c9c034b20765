"""The order of facts that contest one another: nothing is left out, and the stronger origin comes first."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from core.ids import RecordId
from core.long_term.contests import arranged, paired
from core.model.record import Origin, Record, RecordState, Rival
from tests.support.long_term import OBSERVED, STATED, new

DAY = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Hit:
    record: Record
    score: float


def hit(
    name: str, content: str, score: float, against: str = "", *, day: int = 0, origin: Origin = STATED
) -> Hit:
    record = new(
        content,
        record_id=RecordId(name),
        event_time=DAY + timedelta(days=day),
        origin=origin,
        contested_with=tuple(map(RecordId, against)),
        state=RecordState.CONTESTED if against else RecordState.ACTIVE,
    )
    return Hit(record, score)


def order(query: str, *hits: Hit, as_of: datetime | None = None) -> str:
    best_first = sorted(hits, key=lambda one: -one.score)
    return "".join(one.record.record_id for one in arranged(best_first, query, as_of))


def test_without_a_contest_the_order_is_that_of_the_scores() -> None:
    assert order("tea", hit("a", "Tea.", 0.5), hit("b", "More tea.", 0.9)) == "ba"


def test_the_newer_of_two_stands_where_the_better_one_would_and_the_older_counts_half() -> None:
    found = [
        hit("o", "Ann lives in Graz.", 0.9, "n", day=1),
        hit("n", "Ann lives in York.", 0.8, "o", day=2),
        hit("x", "Ann has a cat.", 0.6),
        hit("y", "Ann likes tea.", 0.4),
    ]

    assert order("Where does Ann live?", *found) == "nxoy"


def test_what_a_tool_said_never_comes_before_what_the_user_stated_whatever_the_query_says() -> None:
    found = [
        hit("t", "The ferry leaves at ten sharp.", 0.9, "s", day=9, origin=OBSERVED),
        hit("s", "The ferry leaves at nine.", 0.1, "t", day=1),
    ]

    assert order("Does the ferry leave at ten sharp?", *found) == "st"


def test_a_query_that_only_one_of_them_answers_shows_it_first_though_it_is_older() -> None:
    found = [
        hit("a", "The Alpha drill weighs 2 kg.", 0.9, "bc", day=1),
        hit("b", "The Beta saw weighs 3 kg.", 0.8, "ac", day=2),
        hit("c", "The Gamma sander weighs 4 kg.", 0.7, "ab", day=3),
    ]

    assert order("What does the Alpha drill weigh?", *found)[0] == "a"
    assert order("Beta saw", *found)[0] == "b"


def test_all_but_two_of_a_contest_follow_what_is_not_contested_and_none_is_lost() -> None:
    names = "abcde"
    found = [hit(n, "小明住在上海。", 0.9, names.replace(n, ""), day=d) for d, n in enumerate(names)]
    found.append(hit("x", "小红住在北京。", 0.2))

    arranged_names = order("小明住在哪里？", *found)

    assert arranged_names[:2] == "ed"
    assert arranged_names[2] == "x"
    assert sorted(arranged_names) == sorted("abcdex")


def test_facts_that_contest_by_way_of_others_are_of_one_contest() -> None:
    found = [
        hit("a", "Tea.", 0.9, "b", day=1),
        hit("b", "Tea.", 0.8, "ac", day=2),
        hit("c", "Tea.", 0.7, "b", day=3),
    ]

    assert order("tea", *found) == "cba"


def test_as_of_a_time_what_began_last_comes_first() -> None:
    found = [
        hit("o", "Ann lives in Graz.", 0.9, "n", day=1),
        hit("n", "Ann lives in York.", 0.8, "o", day=2),
    ]

    assert order("Who lives in Graz?", *found, as_of=DAY + timedelta(days=5)) == "no"


def rival(
    name: str, content: str, score: float, to: str = "", *, day: int = 0, origin: Origin = STATED
) -> Hit:
    one = hit(name, content, score, day=day, origin=origin)
    return Hit(replace(one.record, rivals=tuple(Rival(RecordId(key), 0.7) for key in to)), score)


def pairs(*found: Hit, as_of: datetime | None = None) -> str:
    return "".join(one.record.record_id for one in paired(found, as_of))


OLD = rival("o", "Ann lives in Graz.", 0.9, day=1)
CAT, TEA = hit("c", "Ann has a cat.", 0.7), hit("t", "Ann likes tea.", 0.5)


def test_of_two_that_may_contradict_the_newer_stands_right_before_the_older() -> None:
    newer = rival("n", "Ann's place in York is large.", 0.4, "o", day=2)

    assert pairs(OLD, CAT, TEA, newer) == "noct"
    assert pairs(newer, CAT, TEA, OLD) == "noct"
    assert pairs(CAT, newer, TEA) == "cnt"  # the other one is no part of the answer


def test_what_a_tool_found_stands_behind_what_the_user_said() -> None:
    newer = rival("n", "Ann's place in York is large.", 0.4, "o", day=2, origin=OBSERVED)

    assert pairs(OLD, CAT, newer) == "onc"


def test_of_several_rivals_none_is_left_out() -> None:
    newest = rival("n", "Ann's place in York is large.", 0.4, "om", day=3)
    middle = rival("m", "Ann rents a room in Bonn.", 0.6, "o", day=2)

    assert sorted(pairs(OLD, CAT, middle, TEA, newest)) == sorted("ocmtn")
    assert pairs(OLD, CAT, middle, TEA, newest).index("n") == 0


def test_what_is_contested_keeps_its_place() -> None:
    contested = hit("x", "Ann lives in Rome.", 0.8, "y", day=1)
    newer = rival("n", "Ann's place in York is large.", 0.4, "x", day=2)

    assert pairs(contested, CAT, newer) == "xcn"
