"""Writes the digests anew, for a change that means to change answers: `python -m tests.oracles.write`.

`--show FOLDER` writes the answers themselves into a folder, for a diff with those of another commit.
"""

import argparse
import asyncio
from pathlib import Path

from tests.oracles.answering import digests
from tests.oracles.calls import recorded
from tests.oracles.refusals import refusals

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=Path, help="a folder for the answers; the digests stay as they are")
    folder = parser.parse_args().show
    for name, asking in (("refusals.txt", refusals), ("calls.txt", recorded)):
        answers = asyncio.run(asking())
        if folder:
            text = "".join(f"==== {asked}\n{answer}\n" for asked, answer in answers)
            (folder / name).write_text(text, encoding="utf-8")
        else:
            (HERE / name).write_text(digests(answers), encoding="utf-8")


if __name__ == "__main__":
    main()
