"""Which calls go into the audit, and what is told of them.

Law: ids and names alone. A request is told by what it names before it is known to be right, so an id that is none is
left out.
"""

from typing import Any

from core.ids import is_id
from core.model.access import Scope
from service.api.access.needs import Needs
from service.process.audit import Audit
from service.process.current_call import CurrentCall

WRITING = frozenset({Scope.WRITE, Scope.APPROVE, Scope.ADMIN})
EXPORT = "Export"
REFUSALS = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})
HEADERS = ("header", "options")
"""Fields that say what a stream is about."""


def is_audited(method: str, needs: Needs, call: CurrentCall) -> bool:
    """Whether a call is told when it ends well: it writes, exports, or reads as one who may read everybody's."""
    caller = call.caller
    reads_all = bool(caller.key_id) and caller.may(Scope.ADMIN) and caller.binding.user is None
    return reads_all or bool(needs.scopes & WRITING) or method.rpartition("/")[2].startswith(EXPORT)


def named_in(message: Any) -> dict[str, str]:
    """Returns the bank and the user that a request names, itself or in what goes before its parts."""
    of = next(
        (getattr(message, name) for name in HEADERS if name in message.DESCRIPTOR.fields_by_name), message
    )
    named = {name: getattr(of, name, "") for name in ("bank_id", "user")}
    return {
        name: value
        for name, value in named.items()
        if isinstance(value, str) and value and (name == "user" or is_id(value))
    }


def tell(audit: Audit, method: str, call: CurrentCall, code: str, peer: str) -> None:
    """Writes the line of a call that has ended."""
    caller = call.caller
    who = {"tenant": caller.tenant, "subject": caller.subject, "key_id": caller.key_id}
    if code in REFUSALS:
        audit.deny(method=method, code=code, peer=peer.rpartition(":")[0], **who)
    elif call.is_audited:
        request_id = call.request_id if is_id(call.request_id) else ""
        audit.tell(
            "call",
            method=method,
            code=code,
            peer=peer,
            request_id=request_id,
            trace_id=call.trace_id,
            **call.named,
            **who,
        )
