"""What a call speaks of, as keys of revisions: a bank by its id, any other memory as `KIND/NAME`.

The same names that the service uses in maps of revisions, so that what one call saw is asked for by the next.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from google.protobuf.message import Message


def subjects_of(header: Any) -> tuple[str, ...]:
    """Returns the keys of what a request names. Its own subject, the one whose `revision` is answered, is the only
    one of most."""
    special = SPECIAL.get(header.DESCRIPTOR.name)
    if special is not None:
        return special(header)
    if getattr(header, "bank_id", ""):
        return (header.bank_id,)
    if "owner" in header.DESCRIPTOR.fields_by_name:
        return (instructions(header.owner),)
    if header.DESCRIPTOR.file.name == LONG_TERM:
        return _collection(header)
    if getattr(header, "conversation_id", ""):
        return (_conversation(header),)
    return ()


def affinity_of(header: Any) -> str:
    """Returns what a proxy may keep a call by: the bank, or the user whose memory it is (`user/ada`), or the owner of
    documents. Empty: anything will do."""
    if bank := getattr(header, "bank_id", ""):
        return str(bank)
    for whole in ("user", "collection"):  # UpdateUser and UpdateCollection speak of a whole one
        if isinstance(held := getattr(header, whole, None), Message):
            header = held
    if user := getattr(header, "user", ""):
        return f"user/{encoded(user)}"
    return next(iter(subjects_of(header)), "").removeprefix("instructions/")


def instructions(owner: Any) -> str:
    """Returns the key of an owner's instruction documents."""
    level = owner.WhichOneof("level") or ""
    return f"instructions/{level}/{encoded(getattr(owner, level)) if level not in ('', 'tenant') else ''}"


def _loaded(header: Any) -> tuple[str, ...]:
    run = (f"run/{encoded(header.user)}/{header.run_id}",) if header.run_id else ()
    return tuple(dict.fromkeys((*(instructions(ref.owner) for ref in header.refs), *run)))


def _conversation(header: Any) -> str:
    return f"conversation/{encoded(header.user)}/{header.conversation_id}"


def _invocation(header: Any) -> tuple[str, ...]:
    """Returns the key of a run by its id; one that is only begun has none yet, and the end of one answers another's
    revision."""
    named = header.DESCRIPTOR.name in ("AddWorkingItemsRequest", "GetWorkingMemoryRequest")
    known = named and header.invocation_id
    return (_run(header),) if known else ()


def _run(header: Any) -> str:
    return f"invocation/{encoded(header.user)}/{header.invocation_id}"


def _assembled(header: Any) -> tuple[str, ...]:
    talk = (_conversation(header),) if header.conversation_id else ()
    bank = (f"bank/{header.bank_id}",) if header.bank_id else ()
    collection = (_named(header),) if header.HasField("collection") else ()
    run = (_run(header),) if header.invocation_id else ()
    return (*talk, *bank, *collection, *run, *_loaded(header))


def _tasked(header: Any) -> tuple[str, ...]:
    """Returns the bank, whose revision is answered (empty for one that the service names), and what is named of the
    user's."""
    talk = (_conversation(header),) if header.conversation_id else ()
    collection = (_named(header),) if header.HasField("collection") else ()
    run = (_run(header),) if header.invocation_id else ()
    return (header.bank_id, *talk, *collection, *run)


def _collection(header: Any) -> tuple[str, ...]:
    """Returns the collection that a request of LongTerm is about; a user's list of them is about none."""
    whole = getattr(header, "collection", None)
    if whole is None:
        return ()
    owner = header if isinstance(whole, str) else whole  # UpdateCollection brings it as a message
    return (_named(owner),)


def _named(owner: Any) -> str:
    return f"collection/{encoded(owner.user)}/{encoded(owner.collection)}"


def encoded(name: str) -> str:
    """Returns a name in a key: percent-encoded outside `[A-Za-z0-9._:-]`."""
    return quote(name, safe=":").replace("~", "%7E")


LONG_TERM = "memorybank/v1/long_term.proto"
SPECIAL: Mapping[str, Callable[[Any], tuple[str, ...]]] = {
    "LoadSourcesRequest": _loaded,
    "AssembleContextRequest": _assembled,
    "ExplainRequest": _assembled,
    **dict.fromkeys(("StartTaskRequest", "AdvanceTaskRequest"), _tasked),
    **dict.fromkeys(
        (
            "StartInvocationRequest",
            "AddWorkingItemsRequest",
            "GetWorkingMemoryRequest",
            "EndInvocationRequest",
        ),
        _invocation,
    ),
}
"""Requests of several subjects, which they and their answers name in maps of revisions; and those about runs."""
