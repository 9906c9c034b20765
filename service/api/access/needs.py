"""What each method needs of its caller, as the contract's method options say.

Law: a method without the option cannot be served.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from google.protobuf.descriptor_pool import Default

from core.caller import Caller
from core.errors import PermissionDenied
from core.model.access import Scope
from memorybank.v1 import access_pb2 as pb

PACKAGE = "memorybank."
SCOPES: Mapping[int, Scope] = {
    pb.SCOPE_READ: Scope.READ,
    pb.SCOPE_WRITE: Scope.WRITE,
    pb.SCOPE_APPROVE: Scope.APPROVE,
    pb.SCOPE_SPEAK_FOR_USER: Scope.SPEAK_FOR_USER,
    pb.SCOPE_ADMIN: Scope.ADMIN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """See `memorybank.v1.Access`."""

    scopes: frozenset[Scope]
    whole_user: bool = False
    admin_unless_bound: bool = False
    whole_tenant: bool = False

    def require(self, caller: Caller) -> None:
        """Raises PermissionDenied."""
        if lacking := sorted(self._scopes_for(caller) - caller.scopes):
            raise PermissionDenied(f"the API key lacks the scope {', '.join(lacking)}")
        if self.whole_user and caller.binding.has_list:
            raise PermissionDenied(
                "the API key is bound to a part of the user's memory, and this is all of it"
            )

        if self.whole_tenant and not caller.binding.is_open:
            raise PermissionDenied("the API key is bound, and this tells of all of the tenant")

    def _scopes_for(self, caller: Caller) -> frozenset[Scope]:
        is_open = self.admin_unless_bound and caller.binding.user is None
        return self.scopes | {Scope.ADMIN} if is_open else self.scopes


NOTHING = Needs(scopes=frozenset())
"""Of a method that any caller with a credential may call."""


@cache
def needs_of(method: str) -> Needs:
    """Returns what `package.Service/Method` needs. Raises LookupError for one that does not say."""
    service, _, name = method.rpartition("/")
    if not service.startswith(PACKAGE):
        return NOTHING
    options = Default().FindServiceByName(service).methods_by_name[name].GetOptions()
    access = options.Extensions[pb.access]
    if not access.scopes:
        raise LookupError(f"{method} does not say what it needs: give it the option `access`")
    return Needs(
        scopes=frozenset(SCOPES[scope] for scope in access.scopes),
        whole_user=access.whole_user,
        admin_unless_bound=access.admin_unless_bound,
        whole_tenant=access.whole_tenant,
    )
