"""The page of mistakes is true: each is made, and answered as shown."""

import re
import shlex

import pytest

from memorybank_client import MemoryBankError, SyncMemoryBankClient
from tests.support.process import running_server
from tests.support.shell import Shell
from tests.test_readme import COMMAND, CONSOLE, PAGES, ROOT, bind

PAGE = PAGES["docs/first-day.md"]
MADE_IN_PYTHON = re.compile(r"^>>> (.*)\n(.*)\n", re.MULTILINE)


@pytest.mark.slow
def test_each_mistake_is_answered_as_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    commands = [found for block in CONSOLE.findall(PAGE) for found in COMMAND.findall(block)]
    calls = MADE_IN_PYTHON.findall(PAGE)

    with running_server() as server:
        for command, shown in commands:
            ended = Shell(server=server)(*shlex.split(command)[1:])
            bind(shown, ended.out + ended.err, {})
        with SyncMemoryBankClient(server) as client:
            for call, shown in calls:
                with pytest.raises((MemoryBankError, TypeError)) as raised:
                    eval(call, {"client": client})
                assert f"{type(raised.value).__name__}: {raised.value}" == shown

    assert len(commands) + len(calls) > 10
