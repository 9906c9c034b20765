"""Word lists: files of a language's folder, one entry a line; `#` begins a comment."""

from importlib.resources import files


def read(package: str, name: str) -> tuple[str, ...]:
    """Returns the entries of a list as they stand in its file; none where the folder has no such list."""
    file = files(package).joinpath(f"{name}.txt")
    if not file.is_file():
        return ()
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))
