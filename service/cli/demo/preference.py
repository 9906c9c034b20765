"""The demo's chapter on instruction documents: an agent keeps a preference, and follows it in its next run."""

from memorybank.v1 import instructions_pb2 as pb
from memorybank_client import StaleRevision
from service.cli import drawing
from service.cli.demo.tour import Tour

ADA = pb.Owner(user="ada")
PATH = "~/.agents/AGENTS.md"
BEFORE, AFTER = "- 用英文回答", "- 用中文回答"
DOCUMENT = f"# 用户偏好\n{BEFORE}\n- 示例使用 Python 3.11\n"
STATED = "以后请用中文回答。"
QUESTION = "When does the ferry leave?"


def preference(tour: Tour) -> None:
    """Shows a document that is loaded before each run; what the agent edits in one run holds from the next on."""
    tour.bank_id = ""
    tour.client.put_source(owner=ADA, path=PATH, text=DOCUMENT, update_by="ada")
    with tour.step("Instructions: a run begins with the user's AGENTS.md"):
        tour.show(drawing.words(_loaded(tour, "run-1").partition("\n\n<memory_guidelines>")[0]))
        tour.claim("the agent answers as the document says", _answer(tour, "run-1").startswith("The ferry"))
    with tour.step(f"The user says “{STATED}”, and the agent keeps it") as facts:
        kept = facts["result"] = _kept(tour)
        tour.show(drawing.words(f"{PATH}: “{BEFORE}” → “{AFTER}”, version {kept.source.version}"))
        tour.claim("the run that made the edit sees what it began with", BEFORE in _loaded(tour, "run-1"))
        tour.claim("an edit of the version before is refused", _refuses_stale(tour))
    with tour.step(f"The next run: {QUESTION}"):
        answer = _answer(tour, "run-2")
        tour.show(drawing.words(answer))
        tour.claim("the next run follows the preference", answer.startswith("渡轮"))


def _loaded(tour: Tour, run_id: str) -> str:
    refs = [pb.SourceRef(owner=ADA, path=PATH)]
    return tour.client.load_sources(refs=refs, user="ada", run_id=run_id).block


def _answer(tour: Tour, run_id: str) -> str:
    """Returns what an agent that follows its instructions answers to QUESTION."""
    chinese = AFTER in _loaded(tour, run_id)
    return "渡轮九点从三号码头出发。" if chinese else "The ferry leaves at nine from pier 3."


def _kept(tour: Tour) -> pb.EditSourceResponse:
    return tour.client.edit_source(
        owner=ADA, path=PATH, old_text=BEFORE, new_text=AFTER, if_version=1, update_by="agent"
    )


def _refuses_stale(tour: Tour) -> bool:
    try:
        _kept(tour)
    except StaleRevision:
        return True
    return False
