"""What `memorybank serve` says of a database that it cannot start on: one line, the way out, and never a password."""

import asyncio
from pathlib import Path

from tests.support.postgres import cluster, empty_database
from tests.support.process import LOOPBACK, refused_start

SECRET = "secret-word"


async def test_a_database_that_cannot_be_had_ends_the_start_in_one_line_without_the_password(
    tmp_path: Path,
) -> None:
    here = cluster().over_tcp(empty_database()).url
    problems = {
        here: "password authentication failed",
        here.replace("127.0.0.1", "no-such-host.invalid"): "no-such-host.invalid",
    }
    words = ("--listen", LOOPBACK, "--data", str(tmp_path))
    starts = await asyncio.gather(
        *(
            refused_start(
                tmp_path / str(number), *words, settings={"store.url": url, "store.password": SECRET}
            )
            for number, url in enumerate(problems)
        )
    )

    for problem, start in zip(problems.values(), starts, strict=True):
        assert (start.code, start.out) == (1, "")
        *_, last = start.err.splitlines()
        assert last.startswith("memorybank: ")
        assert problem in last
        assert "Traceback" not in start.err
        assert SECRET not in start.err
