"""What keeps a memory out by its time, without a process that sweeps it away."""

from datetime import timedelta

from core.caller import Caller
from core.usecases.context.asked import AssembleContext
from core.usecases.context.explain import Explain, explain
from core.usecases.context.subject import Reason, SubjectNames
from tests.support.house import START, TickingClock, open_house
from tests.support.long_term import ADA, told


async def test_a_fact_whose_time_is_over_is_told_with_the_moment() -> None:
    async with open_house(unasked=False) as house:
        record_id = await told(house, "预算会议在三点。", ttl=timedelta(days=1), create_time=START)
        asked = Explain(
            context=AssembleContext(input="预算会议几点？", collection=ADA),
            asked=SubjectNames(record_id=record_id, user=ADA.user, caller=Caller.local(ADA.tenant)),
        )
        (before,) = (await explain(house, asked)).memories
        assert isinstance(house.clock, TickingClock)
        house.clock.skip(timedelta(days=2))
        (after,) = (await explain(house, asked)).memories

    assert before.reason is Reason.STANDS
    assert after.reason is Reason.EXPIRED
    assert after.subject.expire_time is not None
    assert not after.stands
