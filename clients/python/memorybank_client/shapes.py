"""The four shapes of an RPC as descriptors, each typed for both clients.

A verb is declared once, in a class that both clients inherit. Read from the asynchronous client it is a function whose
outcome is awaited or iterated with `async for`; read from the synchronous one, a plain function. Its keyword arguments
are the fields of the request message, or of a streamed request's header: editors and type checkers know them
from the message's own signature.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Generator, Iterable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from google.protobuf.message import Message

from memorybank_client.callers import AsyncCaller, SyncCaller
from memorybank_client.fields import positional, request_of
from memorybank_client.method_docs import doc_of, signature
from memorybank_client.methods import method_of
from memorybank_client.session import Call
from memorybank_client.source import Source

P = ParamSpec("P")
R = TypeVar("R", bound=Message)
Part = TypeVar("Part")


class Shape(Generic[R]):
    """A verb: its name in Python, and its method."""

    def __init__(self, request: Any, response: type[R], *, header: Any = None) -> None:
        self.method = method_of(request, response, header or request)
        self.verb = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.verb = name

    def call(self, client: AsyncCaller | SyncCaller, fields: dict[str, Any]) -> Call:
        header = request_of(self.method.header, self.verb, fields)
        return client.session.call(self.verb, self.method, header)

    def refuse(self, given: tuple[Any, ...]) -> None:
        """Raises TypeError for what came without a name."""
        if given:
            raise TypeError(positional(self.verb, self.method.header))

    def bound(self, client: AsyncCaller | SyncCaller, send: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the verb as read from a client, which sends one message."""

        def verb(*given: Any, **fields: Any) -> Any:
            self.refuse(given)
            call = self.call(client, fields)
            return send(call, call.header)

        return verb

    def unbound(self) -> Callable[..., Any]:
        """Returns the verb as read from a class, where `help()` shows its keywords and their comments in the
        contract."""

        def verb(client: Any, /, *source: Any, **fields: Any) -> Any:
            return getattr(client, self.verb)(*source, **fields)

        verb.__name__ = verb.__qualname__ = self.verb
        verb.__doc__ = doc_of(self.method)
        verb.__signature__ = signature(self.method)  # type: ignore[attr-defined]
        return verb


class Unary(Shape[R], Generic[P, R]):
    """A message for a message."""

    def __init__(self, request: Callable[P, Message], response: type[R]) -> None:
        super().__init__(request, response)

    @overload
    def __get__(self, client: AsyncCaller, owner: type) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(self, client: SyncCaller, owner: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: AsyncCaller | SyncCaller | None, owner: type) -> Any:
        return self.unbound() if client is None else self.bound(client, client.one)


class Down(Shape[R], Generic[P, R]):
    """A message for a stream of them. Left early, close it (`aclosing`), else it lasts until it is collected."""

    def __init__(self, request: Callable[P, Message], response: type[R]) -> None:
        super().__init__(request, response)

    @overload
    def __get__(self, client: AsyncCaller, owner: type) -> Callable[P, AsyncGenerator[R, None]]: ...
    @overload
    def __get__(self, client: SyncCaller, owner: type) -> Callable[P, Generator[R, None, None]]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: AsyncCaller | SyncCaller | None, owner: type) -> Any:
        return self.unbound() if client is None else self.bound(client, client.many)


class StreamInParts(Shape[R], Generic[Part, P, R]):
    """What is streamed, in parts that `cut` makes messages of; its header's fields are the keywords."""

    def __init__(
        self,
        request: type[Message],
        response: type[R],
        *,
        header: Callable[P, Message],
        cut: Callable[[Part], Iterable[Message]],
    ) -> None:
        super().__init__(request, response, header=header)
        self.cut = cut

    def bound(self, client: AsyncCaller | SyncCaller, send: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the verb as read from a client, which sends a source's parts."""

        def verb(source: Any, /, **fields: Any) -> Any:
            call = self.call(client, fields)
            return send(call, Source(self.method.first(call.header), source, self.cut))

        return verb


class Up(StreamInParts[Part, P, R]):
    """A stream of messages for one."""

    @overload
    def __get__(
        self, client: AsyncCaller, owner: type
    ) -> Callable[Concatenate[Part | Iterable[Part] | AsyncIterable[Part], P], Coroutine[Any, Any, R]]: ...
    @overload
    def __get__(
        self, client: SyncCaller, owner: type
    ) -> Callable[Concatenate[Part | Iterable[Part], P], R]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: AsyncCaller | SyncCaller | None, owner: type) -> Any:
        return self.unbound() if client is None else self.bound(client, client.one)


class Both(StreamInParts[Part, P, R]):
    """A stream of messages for a stream of them."""

    @overload
    def __get__(
        self, client: AsyncCaller, owner: type
    ) -> Callable[Concatenate[Part | Iterable[Part] | AsyncIterable[Part], P], AsyncGenerator[R, None]]: ...
    @overload
    def __get__(
        self, client: SyncCaller, owner: type
    ) -> Callable[Concatenate[Part | Iterable[Part], P], Generator[R, None, None]]: ...
    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    def __get__(self, client: AsyncCaller | SyncCaller | None, owner: type) -> Any:
        return self.unbound() if client is None else self.bound(client, client.many)
