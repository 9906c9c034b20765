"""What every command that calls the service shares: its options, its client, its way of answering and of failing.

Law: standard output carries the answer alone (with --json one JSON document, in the contract's own names);
progress and problems go to standard error. A command ends by returning, or by a Failure. No control character of what
was stored, or of what a failure quotes, reaches a terminal; JSON has it escaped.
"""

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import click
import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console, RenderableType

from memorybank_client import ErrorReason, MemoryBankError, SyncMemoryBankClient, Unavailable
from memorybank_client.runs import UNHELD
from service.cli import drawing
from service.cli.exits import Exit, Failure, failure_of
from service.cli.interrupts import heeded
from service.cli.messages import say
from service.cli.reaching import unreachable

DEFAULT_SERVER = "127.0.0.1:7700"
DEFAULT_BANK = "default"
CONNECT_SECONDS = 1.0
OBEYED = re.compile(r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What JSON need not escape, and a terminal obeys."""
INT32, INT64 = 2**31 - 1, 2**63 - 1  # the most that a field of the contract takes

P = ParamSpec("P")
Made = TypeVar("Made")
Plain = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandContext:
    """One command on its way: whom it asks, about which bank, and how it tells what it learned.

    `kept`: what stands if the command is interrupted now, a sentence each.
    """

    client: SyncMemoryBankClient
    server: str
    bank_id: str
    as_json: bool
    screen: Console
    aside: Console
    kept: list[str]

    def answer(self, plain: Plain | Message, *drawn: RenderableType) -> None:
        """Prints the answer, once: as JSON, or drawn for people."""
        if self.as_json:
            click.echo(json_of(plain, indent=2))
            return
        for part in drawn:
            self.screen.print(part, soft_wrap=isinstance(part, str))  # scripts read lines, too


def plain_of(value: Any) -> Any:
    """Makes JSON of messages: the contract's field names, all fields, 64-bit numbers as strings (protobuf's way)."""
    if isinstance(value, Message):
        return MessageToDict(
            value, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    if isinstance(value, Mapping):
        return {key: plain_of(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain_of(each) for each in value]
    return value


def json_of(plain: Plain | Message, indent: int | None = None) -> str:
    """Writes JSON, with what a terminal would obey escaped."""
    written = json.dumps(plain_of(plain), ensure_ascii=False, indent=indent)
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


SERVER = click.option(
    "--server",
    metavar="HOST:PORT",
    envvar="MEMORYBANK_SERVER",
    default=DEFAULT_SERVER,
    show_default=True,
    help="Where the memory bank listens (or MEMORYBANK_SERVER).",
)
_bank = functools.partial(click.option, "--bank", "bank_id", metavar="ID")
BANK = _bank(
    envvar="MEMORYBANK_BANK",
    default=DEFAULT_BANK,
    show_default=True,
    help="Which bank (or MEMORYBANK_BANK).",
)
NAMED_BANK = _bank(required=True, help="Which bank; MEMORYBANK_BANK is not heeded here.")
"""For what cannot be undone: it is not done to a bank that nobody named with the command."""
JSON = click.option("--json", "as_json", is_flag=True, help="Answer as JSON, in the contract's field names.")
TIMEOUT = click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), help="For each call."
)


def _kept_in(name: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    def keep(context: click.Context, _: click.Parameter, value: str | None) -> None:
        context.meta[f"memorybank.{name}"] = value

    return keep


def access(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options by which a command proves who calls, and knows whom it calls; `client_of` heeds them."""
    key_file = click.option(
        "--key-file",
        metavar="FILE",
        envvar="MEMORYBANK_API_KEY_FILE",
        expose_value=False,
        callback=_kept_in("key_file"),
        help="The API key to call with (or MEMORYBANK_API_KEY_FILE); readable by you alone.",
    )
    tls_ca = click.option(
        "--tls-ca",
        metavar="FILE",
        envvar="MEMORYBANK_TLS_CA",
        expose_value=False,
        callback=_kept_in("tls_ca"),
        help="Call by TLS, trusting these authorities; system: this machine's (or MEMORYBANK_TLS_CA).",
    )
    return key_file(tls_ca(command))


def errand(command: Callable[Concatenate[CommandContext, P], None]) -> Callable[..., None]:
    """Makes a command of one bank: with --bank, --server, --json and --timeout, and a CommandContext first."""
    return BANK(errand_of_any(command))


def errand_of_any(command: Callable[Concatenate[CommandContext, P], None]) -> Callable[..., None]:
    """Does the same for a command that names its bank in another way, or none."""

    @functools.wraps(command)
    def run(
        *args: Any, server: str, as_json: bool, timeout: float | None, bank_id: str = "", **options: Any
    ) -> None:
        with ending(as_json, server):
            _require_utf_8(bank_id, *options.values())
        with ending(as_json, server) as kept, heeded(), _client(server, timeout) as client:
            command(
                CommandContext(
                    client=client,
                    server=server,
                    bank_id=bank_id,
                    as_json=as_json,
                    screen=drawing.console(),
                    aside=drawing.console(stderr=True),
                    kept=kept,
                ),
                *args,
                **options,
            )

    return SERVER(access(JSON(TIMEOUT(run))))


def _require_utf_8(*given: Any) -> None:
    """Raises Failure for words of the command that no text can hold: Python keeps their bytes as halves of
    characters."""
    texts = (text for each in given for text in (each if isinstance(each, tuple) else (each,)))
    for text in texts:
        if isinstance(text, str) and UNHELD.search(text):
            raise Failure(say("{text} is not UTF-8", text=ascii(text)[:80]), exit_code=Exit.USAGE)


def _client(server: str, timeout: float | None) -> SyncMemoryBankClient:
    client = client_of(SyncMemoryBankClient, server)
    _require_listener(client.wire.channel, server)
    return client.within(timeout) if timeout else client


def client_of(kind: Callable[..., Made], server: str) -> Made:
    """Makes a client, with the API key and the authorities that the command was given. Raises Failure for what is no
    address, and a key that would not stay secret."""
    given = click.get_current_context().meta
    try:
        return kind(server, key_file=given.get("memorybank.key_file"), tls_ca=given.get("memorybank.tls_ca"))
    except ValueError as wrong:
        raise Failure(str(wrong), exit_code=Exit.USAGE) from None


def _by_tls() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get("memorybank.tls_ca"))


def _require_listener(channel: grpc.Channel, server: str) -> None:
    """Raises Failure where nothing listens: a person need not wait for what the client would try again."""
    states: SimpleQueue[grpc.ChannelConnectivity] = SimpleQueue()
    channel.subscribe(states.put, try_to_connect=True)
    with suppress(Empty):  # one that is slow to connect is left to the call's own deadline
        while (state := states.get(timeout=CONNECT_SECONDS)) is not grpc.ChannelConnectivity.READY:
            if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                raise unreachable(server, by_tls=_by_tls())
    channel.unsubscribe(states.put)


@contextmanager
def ending(as_json: bool, server: str = "") -> Iterator[list[str]]:
    """Ends the program with the exit code of what went wrong inside, said on standard error.

    What is put into the list is said of an interruption: what stands in spite of it.
    """
    kept: list[str] = []
    try:
        yield kept
    except MemoryBankError as error:
        silent = isinstance(error, Unavailable) and not error.reason
        failure = unreachable(server, by_tls=_by_tls()) if silent else failure_of(error, server)
        _end(failure, as_json, known_of(error))
    except Failure as failure:
        _end(failure, as_json)
    except KeyboardInterrupt:
        _end(Failure(say("interrupted"), "\n  ".join(kept), Exit.INTERRUPTED), as_json)
    except BrokenPipeError:  # the reader of the answer has read enough
        raise
    except OSError as problem:
        _end(Failure(f"{problem.filename or 'a file'}: {problem.strerror or problem}"), as_json)


def known_of(error: MemoryBankError) -> Mapping[str, str]:
    """Returns a refusal's code and reason, as --json has them."""
    reason = ErrorReason.Name(error.reason).removeprefix("ERROR_REASON_")
    return {"code": error.code.name, "reason": reason}


def _end(failure: Failure, as_json: bool, known: Mapping[str, str] | None = None) -> NoReturn:
    if as_json:
        error = {"message": failure.message, "remedy": failure.remedy, "exit_code": int(failure.exit_code)}
        click.echo(json_of({"error": {**(known or {}), **error}}), err=True)
    else:
        click.echo(drawing.harmless(f"memorybank: {failure.message}"), err=True)
        if failure.remedy:
            click.echo(drawing.harmless(f"  {failure.remedy}"), err=True)
    sys.exit(failure.exit_code)
