"""The runtime of the local embedder keeps to itself."""

import os
import subprocess
import sys
from pathlib import Path


def test_loading_the_runtime_sends_and_leaves_nothing(tmp_path: Path) -> None:
    """Its telemetry begins by writing a session to the directory of temporary files."""
    given = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    load = "from service.adapters.local_embedder.runtime import ort; print(ort.get_available_providers())"

    ended = subprocess.run(
        [sys.executable, "-c", load],
        env={**given, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "CPUExecutionProvider" in ended.stdout
    assert list(tmp_path.iterdir()) == []
