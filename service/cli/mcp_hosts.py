"""What hosts of the Model Context Protocol want to read to start `memorybank mcp`, and where each keeps it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

NAME = "memorybank"


class Host(NamedTuple):
    """A host. `place`: the file that the snippet goes into; `render`: makes it of a command or a URL; None for a host
    that starts its servers itself and takes no URL."""

    place: str
    of_command: Callable[[Sequence[str]], str]
    of_url: Callable[[str], str] | None


def snippet(host: str, words: Sequence[str], url: str = "") -> str:
    """Returns the snippet. Raises ValueError for a host that takes no URL."""
    known = HOSTS[host]
    if not url:
        return known.of_command(words)
    if known.of_url is None:
        raise ValueError(f"{host} starts its servers itself: leave --http out")
    return known.of_url(url)


def _json(root: str, server: Mapping[str, Any]) -> str:
    return json.dumps({root: {NAME: server}}, indent=2, ensure_ascii=False)


def _command(root: str, **beside: str) -> Callable[[Sequence[str]], str]:
    return lambda words: _json(root, {**beside, "command": words[0], "args": list(words[1:])})


def _url(root: str, name: str = "url", **beside: str) -> Callable[[str], str]:
    return lambda url: _json(root, {**beside, name: url})


def _toml(words: Sequence[str]) -> str:
    args = json.dumps(list(words[1:]), ensure_ascii=False)
    return f"[mcp_servers.{NAME}]\ncommand = {json.dumps(words[0], ensure_ascii=False)}\nargs = {args}"


HOSTS: Mapping[str, Host] = {
    "claude": Host(
        "Claude Desktop: Settings > Developer > Edit Config (claude_desktop_config.json)",
        _command("mcpServers"),
        None,
    ),
    "claude-code": Host(".mcp.json in the project", _command("mcpServers"), _url("mcpServers", type="http")),
    "codex": Host("~/.codex/config.toml", _toml, lambda url: f'[mcp_servers.{NAME}]\nurl = "{url}"'),
    "cursor": Host(
        "~/.cursor/mcp.json, or .cursor/mcp.json in the project", _command("mcpServers"), _url("mcpServers")
    ),
    "gemini": Host("~/.gemini/settings.json", _command("mcpServers"), _url("mcpServers", "httpUrl")),
    "vscode": Host(
        ".vscode/mcp.json in the workspace", _command("servers", type="stdio"), _url("servers", type="http")
    ),
}
