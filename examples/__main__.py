"""Runs the agents, all but the first with the Python that has LangChain: `python -m examples PYTHON`."""

import subprocess
import sys

from service.cli.demo.server import running_server


def main(langgraph: str) -> None:
    with running_server() as address:
        for python, name in (
            (sys.executable, "react_agent"),
            (langgraph, "langgraph_agent"),
            (langgraph, "deepagents_agent"),
        ):
            print(f"\n#### examples/{name}.py\n", flush=True)
            subprocess.run([python, "-m", f"examples.{name}", address], check=True)  # noqa: S603  our own


if __name__ == "__main__":
    main(sys.argv[1])
