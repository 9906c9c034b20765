"""What the client remembers of instruction documents and runs, and by what it names them."""

import pytest

from core.ids import RunId, Tenant, User
from core.keys import InstructionsKey, RunKey, encoded
from core.usecases.instructions.load_sources import named
from memorybank.v1 import instructions_pb2 as pb
from memorybank.v1.retrieval_pb2 import AssembleContextRequest
from memorybank_client import subjects
from tests.clients.python.scripted import Script, asking, scripted

TENANT = Tenant("acme")
ADA, WEB = pb.Owner(user="ada"), pb.Owner(project="web")


@pytest.mark.parametrize("name", ["ada", "王明", "a/b", "%2F", "~", "a b", "A-Z.09_:-", "🦊", "é"])
def test_keys_are_spelled_as_the_service_spells_them(name: str) -> None:
    owned = InstructionsKey(tenant=TENANT, level="user", owner=name)
    run = RunKey(tenant=TENANT, user=User(name), run_id=RunId("r1"))
    load = pb.LoadSourcesRequest(refs=[pb.SourceRef(owner=pb.Owner(user=name))], user=name, run_id="r1")

    assert subjects.encoded(name) == encoded(name)
    assert subjects.subjects_of(load) == (named(owned), named(run))
    assert subjects.affinity_of(load) == f"user/{encoded(name)}"


def test_a_call_on_a_bank_goes_where_the_bank_is_warm_whatever_else_it_names() -> None:
    asked = AssembleContextRequest(bank_id="trip", user="ada", conversation_id="c1", collection="work")

    assert subjects.affinity_of(asked) == "trip"


def test_the_tenants_own_documents_have_no_owner_in_their_key() -> None:
    key = InstructionsKey(tenant=TENANT, level="tenant", owner="")

    assert subjects.subjects_of(pb.GetSourceRequest(owner=pb.Owner(tenant=True))) == (named(key),)


@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_a_read_of_documents_asks_for_what_was_written(kind: str) -> None:
    script = Script()
    script.answers["PutSource"] = [pb.PutSourceResponse(revision=4)]
    script.answers["EditSource"] = [pb.EditSourceResponse(revision=5)]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("put_source", owner=ADA, path="a.md", text="a")
        await ask("get_source", owner=WEB, path="a.md")
        await ask("edit_source", owner=ADA, path="a.md", old_text="a", new_text="b")
        await ask("get_source", owner=ADA, path="a.md")

    other, own = (asked.request for asked in script.asked["GetSource"])
    assert not other.HasField("min_revision")
    assert own.min_revision == 5
    assert script.asked["PutSource"][0].metadata["x-memory-bank"] == "user/ada"


@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_a_load_asks_for_what_was_seen_of_owners_and_run_and_learns_more(kind: str) -> None:
    script = Script()
    script.answers["PutSource"] = [pb.PutSourceResponse(revision=4)]
    seen = {"instructions/user/ada": 6, "run/ada/r1": 1}
    script.answers["LoadSources"] = [pb.LoadSourcesResponse(revisions=seen)]
    refs = [pb.SourceRef(owner=ADA), pb.SourceRef(owner=WEB)]

    async with scripted(script) as target, asking(kind, target) as ask:
        await ask("put_source", owner=ADA, path="a.md", text="a")
        for _ in range(2):
            await ask("load_sources", refs=refs, user="ada", run_id="r1")
        await ask(
            "load_sources", refs=refs, user="ada", run_id="r1", min_revisions={"instructions/user/ada": 2}
        )

    first, second, chosen = (dict(asked.request.min_revisions) for asked in script.asked["LoadSources"])
    assert first == {"instructions/user/ada": 4}
    assert second == seen
    assert chosen == {"instructions/user/ada": 2, "run/ada/r1": 1}
