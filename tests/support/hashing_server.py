"""The server with an embedder of tests: `python -m tests.support.hashing_server serve …`.

Everything else is as it is served. What it remembers takes next to nothing of a processor, and so does its start where
it is forked (`tests.support.forking`).
"""

import sys
from pathlib import Path
from typing import Any

import uvloop

from service.assembly.server import serve
from service.config import load_settings
from service.process.allocator import give_back_early
from service.process.logs import configure_logs
from service.process.turns import take_short_turns
from tests.support.hashing_embedder import HashingEmbedder


def run(listen: str, folder: str, **stand_ins: Any) -> None:
    """Serve until the process is told to stop."""
    settings = load_settings(listen=listen, data_dir=Path(folder))
    configure_logs(settings.log.level, settings.log.format)
    take_short_turns()
    give_back_early()
    uvloop.run(serve(settings, lambda line: print(line, flush=True), **stand_ins))


def main(_serve: str, _listen: str, listen: str, _data: str, folder: str) -> None:
    run(listen, folder, embedder=HashingEmbedder())


if __name__ == "__main__":
    main(*sys.argv[1:])
