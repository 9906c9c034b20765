"""A language in forty lines: its headings stand in prompts, and its dates are read.

The languages are asked for as modules are imported: a process of its own is given one more.
"""

import subprocess
import sys

PROGRAM = """
import re
from dataclasses import replace
from datetime import UTC, datetime

from core import language
from core.language import ENGLISH, Language
from core.language.dates import Dates
from core.language.times import YEAR, Expression, Kind, Times, Unit, any_of, folded

MONTHS = "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου".split()
MONTHS += "σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου".split()
NUMBERED = folded({name: number for number, name in enumerate(MONTHS, 1)})
NUMBERS = folded({"δύο": 2, "τρεις": 3})
UNITS = folded({"ημέρες": Unit.DAY, "εβδομάδες": Unit.WEEK})
RECENT = folded({"χθες": 1})
DATES = Dates(day="{day} {name} {year}", months=tuple(map(str.capitalize, MONTHS)))
CONTEXT = replace(ENGLISH.headings, dates=DATES, keys="Να θυμάσαι πάντα", user="Χρήστης", input="Τώρα")
GREEK = Language(
    code="el",
    package="core.language",
    letters=re.compile("[\\u0370-\\u03ff\\u1f00-\\u1fff]+"),
    weight=0.5,
    is_spaced=True,
    task_headings=replace(ENGLISH.task_headings, context=CONTEXT, goal="Στόχος", now_title="Τώρα"),
    guidelines=ENGLISH.guidelines,
    phrases=replace(ENGLISH.phrases, tool="Εργαλείο"),
    times=Times(
        expressions=(
            Expression(
                kind=Kind.DATE, pattern=rf"\\b(?P<day>\\d{{1,2}}) (?P<month>{any_of(NUMBERED)}) {YEAR}\\b"
            ),
            Expression(kind=Kind.RECENT, pattern=rf"\\b(?P<recent>{any_of(RECENT)})\\b"),
            Expression(
                kind=Kind.AGO, pattern=rf"\\bπριν από (?P<count>{any_of(NUMBERS)}) (?P<unit>{any_of(UNITS)})\\b"
            ),
        ),
        months=NUMBERED,
        units=UNITS,
        recent=RECENT,
        number=lambda word: NUMBERS.get(word) or int(word),
        hint=f"{any_of(RECENT)}|πριν",
        parted=r"\\bόχι ",
    ),
)
language.LANGUAGES = (*language.LANGUAGES, GREEK)
"""
CLAIMS = """
from core.context.conversing import input_section
from core.context.frame import as_data
from core.text.moments import Frame, spans

NOW = datetime(2024, 6, 12, 15, tzinfo=UTC)


def days(text):
    return [f"{start:%m-%d}" for start, _ in spans(text, Frame(first=2023, last=2024, now=NOW))]


assert language.language_of("Πότε φεύγει το πλοίο;") is GREEK
assert language.language_of("When does the ferry leave?") is ENGLISH
assert input_section("Πότε φεύγει το πλοίο;", GREEK.headings).title == "Τώρα"
assert GREEK.dates.written(NOW) == "12 Ιουνίου 2024"
assert days("Στις 7 Μαΐου 2023 έφυγε.") == ["05-07"], days("Στις 7 Μαΐου 2023 έφυγε.")
assert days("Έφυγε χθες.") == ["06-11"]
assert days("Όχι χθες.") == []
assert days("Ήρθε πριν από τρεις ημέρες.") == ["06-09"]
assert days("She left yesterday, 三天前.") == ["06-11", "06-09"]
assert as_data("## Να θυμάσαι πάντα") != "## Να θυμάσαι πάντα"
assert as_data("## Κάτι άλλο") == "## Κάτι άλλο"
"""


def test_one_folder_more_gives_headings_and_dates() -> None:
    lines = [line for line in PROGRAM.splitlines() if line.strip()]

    run = subprocess.run(
        [sys.executable, "-c", PROGRAM + CLAIMS], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stderr
    assert len(lines) <= 45
