"""Writes the prompts of the long tasks anew: `python -m tests.long_tasks`."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.long_tasks.running import SHOWN, golden, run, settled
from tests.long_tasks.script import NAMES, read


async def write() -> None:
    for name in NAMES:
        for on_model in (False, True):
            with TemporaryDirectory() as folder:
                ran = await run(read(name), Path(folder), on_model=on_model)
            for step in SHOWN:
                golden(name, on_model, step).write_text(settled(ran.prompts[step - 1]) + "\n")


if __name__ == "__main__":
    asyncio.run(write())
