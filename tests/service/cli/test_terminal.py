"""What commands write on a terminal: nothing that it obeys, whatever was stored, read or given."""

import json

import pytest

from service.cli.errand import ending, json_of
from service.cli.exits import Exit, Failure
from tests.support.shell import Shell

HOSTILE = "safe \x1b]0;title\x07 \x9b2J \u202eesrever"
NOWHERE = Shell(server="127.0.0.1:1")


def test_a_failure_that_quotes_a_file_reaches_the_terminal_as_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit), ending(as_json=False):
        raise Failure(f"line 1: {HOSTILE}", f"see {HOSTILE}")

    said = capsys.readouterr().err
    assert "safe" in said
    assert all(character.isprintable() or character == "\n" for character in said)


def test_json_has_escaped_what_a_terminal_obeys() -> None:
    written = json_of({"text": HOSTILE})

    assert written.isprintable()
    assert json.loads(written) == {"text": HOSTILE}


@pytest.mark.parametrize("words", [("remember", "caf\udce9"), ("search", "tea", "--bank", "caf\udce9")])
def test_words_of_a_command_that_are_no_text_are_refused_by_name(words: tuple[str, ...]) -> None:
    ended = NOWHERE(*words)

    assert ended.exit_code == Exit.USAGE
    assert "'caf\\udce9' is not UTF-8" in ended.err
