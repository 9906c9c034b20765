"""Random edits, loads and deletions of instruction documents, against plain dicts; loaded anew at the end."""

from datetime import timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from core.aggregate.aggregate import Tuning
from core.errors import EditAmbiguous, EditNotFound, RunExpired, SourceNotFound, StaleVersion
from core.ids import RunId, Tenant, User
from core.instructions.kind import INSTRUCTIONS, RUN
from core.keys import RunKey
from core.model.instructions import Level, Owner, SourceRef
from core.ports.store import Store
from core.usecases.house import House
from core.usecases.instructions.delete_source import DeleteSource, delete_source
from core.usecases.instructions.edit_source import EditSource, edit_source
from core.usecases.instructions.get_source import GetSource, get_source
from core.usecases.instructions.list_versions import ListVersions, list_versions
from core.usecases.instructions.load_sources import LoadSources, load_sources
from core.usecases.instructions.put_source import PutSource, put_source
from core.usecases.instructions.trim_versions import trim_versions
from core.usecases.limits import Limits
from tests.support.house import TickingClock, open_house
from tests.support.model_machine import ModelMachine, on_each_store
from tests.support.plain_instructions import MOST_VERSIONS, Expired, PlainInstructions

EXAMPLES, STEPS = 60, 50
TENANT = Tenant("acme")
OWNERS = (Owner(level=Level.USER, name="王/明"), Owner(level=Level.TENANT))
PATHS = ("AGENTS.md", "a/../规则.md")
TEXTS = ("- tabs", "- 空格", "- tabs, tabs", "")

owners, paths, texts = st.sampled_from(OWNERS), st.sampled_from(PATHS), st.sampled_from(TEXTS)
runs = st.sampled_from(["", "r1", "r1", "r2"])
refs = st.lists(
    st.builds(SourceRef, owner=owners, path=st.sampled_from(("", *PATHS))), min_size=1, max_size=4
)


class AgainstPlainDicts(ModelMachine):
    """The documents under test and their model do the same."""

    clock: TickingClock

    def __init__(self) -> None:
        super().__init__()
        self.plain = PlainInstructions()

    async def opened(self, store: Store) -> House:
        limits = Limits(versions_per_source=MOST_VERSIONS)
        house = await self.closing.enter_async_context(open_house(store=store, limits=limits))
        assert isinstance(house.clock, TickingClock)
        self.clock = house.clock
        return house

    def teardown(self) -> None:
        self.run(self._loaded_anew())
        self.close()

    @rule(owner=owners, path=paths, text=texts, known=st.sampled_from(["any", "newest", "other"]))
    def put(self, owner: Owner, path: str, text: str, known: str) -> None:
        newest = self.plain.newest(owner, path)
        if_version = {"any": None, "newest": newest, "other": newest + 1}[known]
        putting = put_source(
            self.house, PutSource(tenant=TENANT, owner=owner, path=path, text=text, if_version=if_version)
        )

        if known == "other":
            with pytest.raises(StaleVersion):
                self.run(putting)
            return
        version = self.run(putting).done.result.version

        assert version == self.plain.write(owner, path, text, self.clock.now())

    @rule(
        owner=owners, path=paths, old=st.sampled_from(["tabs", "空格", "- "]), new=st.sampled_from(["x", ""])
    )
    def edit(self, owner: Owner, path: str, old: str, new: str) -> None:
        editing = edit_source(
            self.house, EditSource(tenant=TENANT, owner=owner, path=path, old_text=old, new_text=new)
        )
        if not self.plain.newest(owner, path):
            with pytest.raises(SourceNotFound):
                self.run(editing)
            return
        before = self.plain.text(owner, path)
        if before.count(old) != 1:
            with pytest.raises(EditAmbiguous if old in before else EditNotFound):
                self.run(editing)
            return
        version = self.run(editing).done.result.version

        assert version == self.plain.write(owner, path, before.replace(old, new), self.clock.now())

    @rule(owner=owners, path=paths)
    def delete(self, owner: Owner, path: str) -> None:
        deleting = delete_source(self.house, DeleteSource(tenant=TENANT, owner=owner, path=path))
        if not self.plain.newest(owner, path):
            with pytest.raises(SourceNotFound):
                self.run(deleting)
            return

        assert self.run(deleting).result.versions == self.plain.delete(owner, path)

    @rule(days=st.integers(1, 5))
    def days_go_by(self, days: int) -> None:
        self.clock.skip(timedelta(days=days))
        for owner in self.plain.sources:
            self.run(trim_versions(self.house, owner.key(TENANT)))
        self.plain.trim(self.clock.now())

    @rule(wanted=refs, run_id=runs, refresh=st.sampled_from([False, False, False, True]))
    def load(self, wanted: list[SourceRef], run_id: str, refresh: bool) -> None:
        different = list(dict.fromkeys(wanted))
        command = LoadSources(
            tenant=TENANT,
            refs=tuple(different),
            user=User("王/明"),
            run_id=RunId(run_id) if run_id else None,
            refresh=refresh and bool(run_id),
            include_text=True,
        )
        try:
            texts, missing = self.plain.load(different, run_id, command.refresh, self.clock.now())
        except Expired:
            with pytest.raises(RunExpired):
                self.run(load_sources(self.house, command))
            return

        loaded = self.run(load_sources(self.house, command))

        assert {(owner, each.path): each.text for owner, each in loaded.sources} == texts
        assert [(owner, each.path) for owner, each in loaded.sources] == list(texts)
        assert {(each.ref.owner, each.ref.path) for each in loaded.missing} == missing

    @invariant()
    def is_what_the_plain_one_is(self) -> None:
        for owner, mine in self.plain.sources.items():
            for path, source in mine.items():
                seen = self.run(get_source(self.house, GetSource(tenant=TENANT, owner=owner, path=path)))
                assert (seen.source.version, seen.source.text) == (source.newest, source.texts[source.newest])
                kept = self.run(
                    list_versions(self.house, ListVersions(tenant=TENANT, owner=owner, path=path))
                )
                assert [each.version for each in kept.sources] == sorted(source.texts, reverse=True)

    async def _loaded_anew(self) -> None:
        """What a store has is what is in memory."""
        for owner in self.plain.sources:
            key = owner.key(TENANT)
            async with self.house.instructions.reading(key) as live:
                stored = INSTRUCTIONS.load(await self.house.store.load(key), Tuning(), None)
                assert stored.state() == live.state()
        for run_id in self.plain.runs:
            run_key = RunKey(tenant=TENANT, user=User("王/明"), run_id=RunId(run_id))
            async with self.house.runs.reading(run_key) as run:
                again = RUN.load(await self.house.store.load(run_key), Tuning(), None)
                assert again.state() == run.state()


TestInMemory, TestOnSqlite = on_each_store(
    AgainstPlainDicts, steps=STEPS, memory_examples=EXAMPLES, sqlite_examples=EXAMPLES // 2
)
