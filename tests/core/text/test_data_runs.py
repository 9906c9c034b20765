"""What is told from words."""

import base64
import hashlib
import json

import pytest

from core.text.data_runs import is_data, without_data

NOISE = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(40))
DATA = {
    "base64": base64.b64encode(NOISE).decode()[:400],
    "base64 in lines": base64.encodebytes(NOISE).decode()[:400],
    "a data address": "data:image/png;base64," + base64.b64encode(NOISE).decode()[:380],
    "hexadecimal": NOISE.hex()[:400],
    "a dump": "\n".join(f"{n:08x}: {NOISE[n : n + 16].hex(' ', 2)}" for n in range(0, 160, 16)),
    "a vector": json.dumps([n / 255 for n in NOISE[:60]], separators=(",", ":")),
    "minified code": '!function(e,t){"object"==typeof exports?module.exports=t():e.lib=t()}(this,function(){'
    * 4,
}
WORDS = {
    "prose": "The ferry to Bygdøy leaves from pier 3 at nine in the morning, and returns at noon. " * 4,
    "Chinese": "渡轮九点从三号码头出发，中午返回。" * 20,
    "code": "def leave(pier: int) -> None:\n    for ferry in ferries_at(pier):\n        ferry.leave()\n" * 4,
    "paths": "\n".join(f"src/service/adapters/store/postgres/queries_{n}_of_items.sql" for n in range(6)),
    "addresses": "https://example.org/timetables/ferries/bygdoy/departures?season=summer\n" * 4,
    "a table": "| pier | ferry | leaves |\n|------|-------|--------|\n| 3 | Bygdøy | nine |\n",
    "a list in JSON": json.dumps([{"ferry": "Bygdøy", "leaves": "at nine in the morning"}] * 4),
    "a hash in a sentence": f"The digest of the file is {NOISE.hex()[:64]}, as the archive's page says of it today.",
    "German": "Donaudampfschifffahrtsgesellschaftskapitänskajüte " * 6,
    "nothing": "",
}


@pytest.mark.parametrize("kind", DATA)
def test_data_is_told_from_words(kind: str) -> None:
    assert is_data(DATA[kind])
    assert len(without_data(DATA[kind])) < 60


@pytest.mark.parametrize("kind", WORDS)
def test_words_are_no_data(kind: str) -> None:
    assert not is_data(WORDS[kind])
    assert without_data(WORDS[kind]) == WORDS[kind]
