"""Makes what stands beside the protos: Python stubs, the descriptor set and the service config.

Runs under the generator's own environment (requirements-generator.lock): stubs refuse an older
grpcio or protobuf than the generator's, so the generator is the oldest that callers may have,
while the service itself runs on newer ones. `--check` compares instead of writing.
"""

import argparse
import filecmp
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

ROOT = Path(__file__).resolve().parent.parent / "protos"
PACKAGE = Path("memorybank/v1")
DESCRIPTOR_SET = PACKAGE / "memorybank.binpb"
SERVICE_CONFIG = PACKAGE / "service_config.json"

# Five attempts over twelve seconds outlast a restart. gRPC's own servers cut what arrives as they close with
# CANCELLED; a call that its caller cancels is not tried again, whatever the policy says.
RETRY_POLICY = {
    "maxAttempts": 5,
    "initialBackoff": "1s",
    "maxBackoff": "5s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
}
# Half of the tokens may be spent on failed attempts before retries stop: a hundred callers outlast a restart.
RETRY_THROTTLING = {"maxTokens": 1000, "tokenRatio": 1}
# What a purge leaves does not tell a repetition that it was done: it would answer NOT_FOUND.
NOT_REPEATED = ("DeleteBank", "DeleteCollection")


def generate(target: Path) -> None:
    """Writes every generated file under `target`, as it should stand under protos/."""
    protos = sorted((ROOT / PACKAGE).glob("*.proto"))
    services = [path for path in protos if "\nservice " in path.read_text(encoding="utf-8")]
    compile_protos(protos, f"--python_out={target}", f"--mypy_out=quiet:{target}")
    compile_protos(services, f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}")
    compile_protos(
        protos,
        "--include_imports",
        "--include_source_info",
        f"--descriptor_set_out={target / DESCRIPTOR_SET}",
    )
    files = FileDescriptorSet.FromString((target / DESCRIPTOR_SET).read_bytes()).file
    config = json.dumps(service_config(files), indent=2)
    (target / SERVICE_CONFIG).write_text(config + "\n", encoding="utf-8")


def compile_protos(protos: list[Path], *outputs: str) -> None:
    scripts = Path(sys.executable).parent
    plugins = [f"--plugin={scripts / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT}", *plugins, *outputs, *map(str, protos)]
    subprocess.run(command, check=True)


def service_config(files: Iterable[FileDescriptorProto]) -> dict[str, object]:
    """gRPC's service config: every call is tried again when a replica is unavailable, purges excepted.

    Mutations happen once if they carry a `request_id`. An entry for a method goes before that for its service.
    """
    services = {
        f"{file.package}.{service.name}": [method.name for method in service.method]
        for file in files
        for service in file.service
    }
    once = [
        {"service": service, "method": method}
        for service, methods in services.items()
        for method in methods
        if method in NOT_REPEATED
    ]
    return {
        "methodConfig": [
            {"name": [{"service": service} for service in services], "retryPolicy": RETRY_POLICY},
            {"name": once},
        ],
        "retryThrottling": RETRY_THROTTLING,
    }


def generated(folder: Path) -> set[Path]:
    patterns = (
        "*_pb2.py",
        "*_pb2.pyi",
        "*_pb2_grpc.py",
        "*_pb2_grpc.pyi",
        DESCRIPTOR_SET.name,
        SERVICE_CONFIG.name,
    )
    return {path.relative_to(folder) for pattern in patterns for path in (folder / PACKAGE).glob(pattern)}


def differences(fresh: Path, committed: Path) -> list[Path]:
    """Generated files that are missing, left over or other than they should be."""
    names = generated(fresh) | generated(committed)
    same, _, _ = filecmp.cmpfiles(fresh, committed, sorted(map(str, names)), shallow=False)
    return sorted(names - set(map(Path, same)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is committed; write nothing")
    arguments = parser.parse_args()
    if not arguments.check:
        for name in generated(ROOT):
            (ROOT / name).unlink()
        generate(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        stale = differences(Path(folder), ROOT)
    for name in stale:
        print(f"protos/{name} is not what the protos say: run `make proto`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
