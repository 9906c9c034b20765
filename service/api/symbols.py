"""What reflection knows of the contract: the descriptor pool, and methods by their names too.

Law: answers what the pool answers. The pool itself finds services but not their methods, by which ghz
and others ask (`memorybank.v1.Retrieval.Search`).
"""

from typing import cast

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FileDescriptor

from service.api.reflection import FILE, PACKAGE, described


def symbols() -> descriptor_pool.DescriptorPool:
    """Makes a pool that finds methods too, as far as reflection asks."""
    return cast(descriptor_pool.DescriptorPool, _Symbols())  # its own class cannot be extended


class _Symbols:
    """A descriptor pool as reflection uses it."""

    def __init__(self) -> None:
        self._pool = pool = descriptor_pool.Default()
        self._reflection = described()
        self.FindMessageTypeByName = pool.FindMessageTypeByName
        self.FindExtensionByNumber = pool.FindExtensionByNumber
        self.FindAllExtensions = pool.FindAllExtensions

    def FindFileByName(self, name: str) -> FileDescriptor:  # noqa: N802 - named as the pool's
        """Finds a file by its name. Raises KeyError."""
        return (self._reflection if name == FILE else self._pool).FindFileByName(name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802 - named as the pool's
        """Finds the file that defines a symbol. Raises KeyError."""
        if symbol.startswith(f"{PACKAGE}."):
            return self._reflection.FindFileContainingSymbol(symbol)
        try:
            return self._pool.FindFileContainingSymbol(symbol)
        except KeyError:
            service, _, method = symbol.rpartition(".")
            found = self._pool.FindServiceByName(service)
            found.methods_by_name[method]
            return found.file
