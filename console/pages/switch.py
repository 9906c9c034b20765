"""The switch between languages. What was chosen is the session's, in this process alone."""

from starlette.responses import Response

from console.language import NAMES
from console.visit import Unreadable, Visit


async def language(visit: Visit) -> Response:
    """Says everything in another language from now on."""
    if visit["language"] not in NAMES:
        raise Unreadable("language")
    visit.session.language = visit["language"]
    back = visit.get("back")
    is_own = back.startswith("/") and not back.startswith(("//", "/\\"))
    return visit.go(back if is_own else "/")
