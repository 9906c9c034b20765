"""An instruction document: its text, its versions; and a correction, which makes another version."""

from starlette.responses import Response

from console import links
from console.visit import Unreadable, Visit
from memorybank.v1 import instructions_pb2 as pb

LEVELS = ("user", "agent", "project")
PAGE = 50


def _owner(visit: Visit) -> pb.Owner:
    level, owner = visit["level"], pb.Owner()
    if level not in LEVELS:
        raise Unreadable("level")
    setattr(owner, level, visit["owner"])
    return owner


async def document(visit: Visit) -> Response:
    owner, path = _owner(visit), visit["path"]
    versions = await visit.client.list_versions(owner=owner, path=path, page_size=PAGE)
    found = await visit.client.get_source(owner=owner, path=path, version=visit.number("version"))
    return visit.page(
        "document.html",
        level=visit["level"],
        owner=visit["owner"],
        source=found.source,
        versions=versions.versions,
        newest=max(each.version for each in versions.versions),
    )


async def correct(visit: Visit) -> Response:
    """Puts another text in the place of the version that was read."""
    await visit.client.put_source(
        owner=_owner(visit), path=visit["path"], text=visit["text"], if_version=visit.number("version")
    )
    return visit.go(links.document(visit["level"], visit["owner"], visit["path"]), "done.saved")
