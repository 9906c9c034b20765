"""Working memory as it is shown: bounded at every read, with what must stay."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agents.offline.compressing import compress
from core.agents.outcomes import error_line, gist
from core.conversation.working import size_of, tokens_of
from core.model.invocation import Item, ItemType
from core.text.tokens import estimate
from core.usecases.conversation.verbs.get_working_memory import bounded

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ENGLISH = "The nightly job reads every order and writes a report for the sales team. "
CHINESE = "夜间任务会读取每一张订单，并为销售团队写一份报告。"


def item(number: int, step: int, type_: ItemType, content: str, **more: object) -> Item:
    made = Item(number=number, step=step, type=type_, content=content, event_time=NOW)
    return replace(made, **more)  # type: ignore[arg-type]


def long_run(filler: str, decision: str, result: str) -> tuple[Item, ...]:
    """Thirty steps of thought, action, result; the third is a decision, the fifth's result has figures and an error."""
    items: list[Item] = []
    for step in range(1, 31):
        seen = filler * 20 + (result if step == 5 else "")
        items += [
            item(
                0,
                step,
                ItemType.DECISION if step == 3 else ItemType.THOUGHT,
                decision if step == 3 else filler,
            ),
            item(0, step, ItemType.ACTION, "", tool="search", arguments_json='{"page": 1}'),
            item(0, step, ItemType.OBSERVATION, seen, tool="search"),
        ]
    return tuple(replace(each, number=number) for number, each in enumerate(items, start=1))


@pytest.mark.parametrize(
    ("filler", "decision", "result", "kept"),
    [
        (
            ENGLISH,
            "We will use PostgreSQL. It is known to us.",
            "\nTimeoutError: no answer\ntotal: 4711 EUR",
            ["We will use PostgreSQL.", "TimeoutError: no answer", "4711 EUR"],
        ),
        (
            CHINESE,
            "决定采用PostgreSQL。大家都熟悉它。",
            "\n错误：连接超时\n总价：4711元",
            ["决定采用PostgreSQL。", "错误：连接超时", "4711元"],
        ),
    ],
)
def test_older_steps_show_as_one_text_that_keeps_decisions_figures_and_errors(
    filler: str, decision: str, result: str, kept: list[str]
) -> None:
    shown = bounded(long_run(filler, decision, result), 2_000, 4)

    assert shown[0].type is ItemType.COMPRESSED
    assert all(each in shown[0].content for each in kept), shown[0].content
    assert size_of(shown[0]) <= 1_000
    assert [each.step for each in shown[1:]] == [step for step in (27, 28, 29, 30) for _ in range(3)]
    assert tokens_of(shown) <= 2_000


def test_what_fits_is_shown_word_for_word() -> None:
    items = long_run("Short.", "Done.", "")

    assert bounded(items, 20_000, 4) == items


def any_items(chosen: random.Random) -> tuple[Item, ...]:
    """Up to 119 items of every type, short and long, with and without figures and errors."""
    step, made = 1, []
    texts = [
        ENGLISH,
        CHINESE,
        "7 " * 50,
        "🦆" * 40,
        "\n\n",
        "x" * 500,
        "Sum: 12 EUR, 3% off.\n",
        "访问被拒绝。\n",
    ]
    for number in range(1, chosen.randint(2, 120)):
        step += chosen.random() < 0.4
        made.append(
            item(
                number,
                step,
                chosen.choice([t for t in ItemType if t is not ItemType.COMPRESSED]),
                "".join(chosen.choices(texts, k=chosen.randint(0, 3))) * chosen.randint(0, 10),
                tool=chosen.choice(["", "search", "工" * 128]),
                arguments_json=chosen.choice(["", '{"q": "' + "长" * 900 + '"}']),
                failed=chosen.random() < 0.3,
                error_type=chosen.choice(["", "KeyError"]),
            )
        )
    return tuple(made)


@pytest.mark.slow
def test_no_items_whatever_they_are_make_it_longer_than_it_may_be() -> None:
    for seed in range(20):
        chosen = random.Random(seed)
        made = any_items(chosen)
        threshold, keep = chosen.choice([400, 2_000, 5_000]), chosen.randint(1, 8)

        shown = bounded(made, threshold, keep)

        assert tokens_of(shown) <= threshold, seed
        assert shown == bounded(made, threshold, keep)


STATED_EN = (
    ("checks", "Pump A7 in hall 2 vibrates at 4.1 mm/s."),
    ("stock", "The valve gaskets are out of stock."),
    ("crm", "The contact at Nordwerk is Eva Lind."),
    ("prices", "Copper costs 8,912 dollars a tonne."),
    ("staff", "Night shift is led by Tomas Rehn."),
    ("plan", "The crane is booked for 5 July from 8 to 12."),
)
STATED_ZH = (
    ("检查", "二号厂房的A7泵振动为4.1毫米每秒。"),
    ("库存", "阀门垫片缺货。"),
    ("客户", "北工的联系人是林伊娃。"),
    ("价格", "铜价每吨8912美元。"),
    ("人员", "夜班由任托马斯带队。"),
    ("计划", "吊车订在7月5日8点到12点。"),
)


@pytest.mark.parametrize(
    ("stated", "before", "behind"),
    [
        (STATED_EN, "Request completed in 120 ms.", "No errors were reported. See the handbook for details."),
        (STATED_ZH, "请求已在120毫秒内完成。", "没有报告任何异常。更多信息请查阅手册。"),
    ],
)
def test_of_each_result_what_it_states_is_told_and_not_what_all_of_them_say(
    stated: tuple[tuple[str, str], ...], before: str, behind: str
) -> None:
    items = [
        item(number, number, ItemType.OBSERVATION, f"{before}\n{says}\n{behind}", tool=tool)
        for number, (tool, says) in enumerate(stated, start=1)
    ]

    text = compress(items, 400)

    assert [line.partition("] ")[2] for line in text.splitlines()] == [
        f"{tool}: {says}" for tool, says in stated
    ]


@pytest.mark.parametrize(
    "result",
    [
        "No errors were reported.",
        "0 errors, 3 warnings",
        "errors: 0",
        "The run did not fail.",
        "It was done without any exception.",
        "没有报告任何异常。",
        "未发现错误",
        "异常：无",
        "无失败任务",
    ],
)
def test_what_denies_an_error_is_none(result: str) -> None:
    assert error_line(item(1, 1, ItemType.OBSERVATION, result)) == ""


@pytest.mark.parametrize(
    "result",
    [
        "TimeoutError: no answer",
        "No response from host: timeout",
        "3 errors were reported, none of them new",
        "errors: 3",
        "Connection refused",
        "没有响应：连接超时",
        "错误：找不到文件",
        "出现2个异常",
    ],
)
def test_an_error_is_told_first(result: str) -> None:
    said = item(1, 1, ItemType.OBSERVATION, f"All {ENGLISH} 12 pages.\n{result}")

    assert gist(said, 60).startswith(result)


@pytest.mark.parametrize(
    ("filler", "line"),
    [(ENGLISH, "The gate of the harbour is opened by Ines Falk."), (CHINESE, "港口的大门由林伊娜打开。")],
)
def test_a_line_behind_forty_thousand_characters_is_found(filler: str, line: str) -> None:
    long = filler * (45_000 // len(filler))
    result = item(1, 1, ItemType.OBSERVATION, f"{long}\n{line}\n{long}", tool="read")
    later = [item(n, n, ItemType.THOUGHT, filler) for n in range(2, 8)]

    as_one_of_the_last = bounded((result,), 400, 4)
    as_older = bounded((result, *later), 400, 1)

    assert line in as_one_of_the_last[0].content
    assert line in as_older[0].content


def test_a_result_in_json_reads_as_its_fields() -> None:
    rows = [{"name": f"Ferry {n}", "price": 10 + n, "stops": ["Paros", "Ios"]} for n in (1, 2)]
    result = item(1, 1, ItemType.OBSERVATION, json.dumps({"total": 2, "rows": rows}), tool="search")

    told = gist(result, 100)

    assert "rows: name: Ferry 1; price: 11" in told
    assert "{" not in told


PACKAGES = "Package                Version\n---------------------- -------\n" + "\n".join(
    f"{name:22} {n}.{n % 7}.{n % 5}"
    for n, name in enumerate(
        "annotated-types anyio attrs certifi click grpcio grpcio-reflection h11 httpx idna igraph".split()
        + "joblib numpy packaging pip-tools pydantic pydantic-core ruff typing-extensions uvloop".split()
    )
)
LISTING = "total 240\n" + "\n".join(
    f"-rw-r--r-- 1 root root {1_000 + 37 * n} Nov 29 23:{n:02} {name}.py"
    for n, name in enumerate(
        "answers blocks citation errors failures fields folding moments outline words".split()
    )
)
STATIONS = json.dumps(
    {
        "page": 1,
        "items": [
            {"id": 1000 + n, "name": f"station {n}", "temperature_c": 3 + n, "wind_kmh": 10 + n}
            for n in range(40)
        ],
    }
)
COUNTS = "\n".join(f"{40 + 7 * n} core/context/part{n}.py" for n in range(20)) + "\n2130 total"
LIMITS = "\n".join(
    [
        "core file size (blocks, -c) 0",
        "max locked memory (kbytes, -l) 8192",
        "open files (-n) 20000",
        *(f"limit {n} (bytes, -{n}) {n}024" for n in range(30)),
    ]
)


@pytest.mark.parametrize(
    ("asked", "result", "told"),
    [
        ("Which numpy do we have?", PACKAGES, "Package Version; numpy 12.5.2"),
        ("numpy 装的是哪个版本？", PACKAGES, "Package Version; numpy 12.5.2"),
        ("How large is outline.py?", LISTING, "1296 Nov 29 23:08 outline.py"),
        ("outline.py 有多大？", LISTING, "1296 Nov 29 23:08 outline.py"),
        ("What is the wind at station 17?", STATIONS, "name: station 17; temperature_c: 20; wind_kmh: 27"),
        ("How many open files are allowed?", LIMITS, "open files (-n) 20000"),
        ("How many lines are there in all?", COUNTS, "2130 total"),
    ],
)
@pytest.mark.parametrize("later", [False, True])
def test_of_a_tool_s_rows_those_are_told_that_its_step_asked_for_or_the_next_one_uses(
    asked: str, result: str, told: str, later: bool
) -> None:
    steps = [("Look around.", result), (asked, "ok")] if later else [(asked, result)]
    run = [
        each
        for step, (thought, seen) in enumerate(steps, start=1)
        for each in (
            item(3 * step - 2, step, ItemType.THOUGHT, thought),
            item(3 * step - 1, step, ItemType.ACTION, "", tool="shell", arguments_json='{"cmd": "see"}'),
            item(3 * step, step, ItemType.OBSERVATION, seen, tool="shell"),
        )
    ]

    assert told in compress(run, 180)


@pytest.mark.parametrize(
    "listed", ["12K core/errors.py", "core/fail.py | 3 ++", "-rw-r--r-- 1 root 9 failures.py"]
)
def test_a_file_s_name_reports_no_error(listed: str) -> None:
    assert error_line(item(1, 1, ItemType.OBSERVATION, listed)) == ""


def test_decisions_without_room_go_oldest_first_and_are_counted() -> None:
    items = [item(n, n, ItemType.DECISION, f"Decision {n}: {ENGLISH}") for n in range(1, 101)]

    text = compress(items, 300)

    assert estimate(text) <= 300
    assert "older items left out)" in text.splitlines()[0]
    assert "[100] Decision 100" in text
    assert "Decision 1:" not in text
