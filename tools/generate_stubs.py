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
from collections.abc import Iterable, Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet, MethodOptions

ROOT = Path(__file__).resolve().parent.parent / "protos"
PACKAGE = Path("memorybank/v1")
DESCRIPTOR_SET = PACKAGE / "memorybank.binpb"
SERVICE_CONFIG = PACKAGE / "service_config.json"

RETRY_POLICY = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "2s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
RETRY_THROTTLING = {"maxTokens": 100, "tokenRatio": 0.1}


def generate(target: Path) -> None:
    """Write every generated file under `target`, as it should stand under protos/."""
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
    """gRPC's service config: what the contract marks as harmless to repeat is tried again when a replica is
    unavailable.

    Other mutations are not in it: only a caller that sets a request_id may repeat one.
    """
    names = [{"service": service, "method": method} for service, method in repeatable(files)]
    return {
        "methodConfig": [{"name": names, "retryPolicy": RETRY_POLICY}],
        "retryThrottling": RETRY_THROTTLING,
    }


def repeatable(files: Iterable[FileDescriptorProto]) -> Iterator[tuple[str, str]]:
    for file in files:
        for service in file.service:
            for method in service.method:
                if method.options.idempotency_level != MethodOptions.IDEMPOTENCY_UNKNOWN:
                    yield f"{file.package}.{service.name}", method.name


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
