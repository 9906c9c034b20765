"""A person's name goes out of a collection, and nothing that went with it comes back."""

from core.ids import RecordId, ReflectionId
from core.long_term.collection import Collection
from core.long_term.steps import FeedbackPut, RecordPut, ReflectionPut, Step
from core.long_term.unlearning import Selection
from core.model.collection import Feedback
from core.model.record import RecordState, Reflection, SupersededReason
from core.ports.aggregates import Draft
from core.text.mentions import Mentions
from core.usecases.house import House
from core.usecases.long_term.drop_mentions import drop_mentions
from core.usecases.long_term.verbs.retract_records import RetractRecords, retract_records
from tests.support.house import open_house
from tests.support.long_term import ADA, TOLD, new, tell

BOB = Mentions(["Bob"])
STANDS, SAME = RecordId("r-stands"), RecordId("r-same")


async def put(house: House, *steps: Step) -> None:
    def stage(_collection: Collection, _revision: int) -> Draft[None]:
        return Draft(result=None, steps=steps)

    await house.collections.commit(ADA, stage)


async def test_what_rests_on_a_record_that_goes_with_another_one_goes_too() -> None:
    same = new(
        "The old harbour closes at nine.",
        record_id=SAME,
        state=RecordState.SUPERSEDED,
        superseded_by=STANDS,
        reason=SupersededReason.SAME,
    )
    opinion = Feedback(feedback_id="f1", record_ids=(SAME,), value=1.0, time=TOLD, reason="Bob says so.")
    over = Reflection(
        reflection_id=ReflectionId("m1"),
        title="Harbours",
        category="life",
        text="Bob knows when harbours close.",
        record_ids=(SAME,),
        create_time=TOLD,
        update_time=TOLD,
    )
    async with open_house(unasked=False) as house:
        await tell(house, "The old harbour closes at nine, says Bob.", record_id=STANDS)
        await put(
            house, RecordPut(record=same), FeedbackPut(feedback=opinion), ReflectionPut(reflection=over)
        )

        done = await drop_mentions(house, ADA, BOB)

        async with house.collections.reading(ADA) as collection:
            assert not collection.records
            assert not collection.feedback
            assert not collection.reflections
    assert (done.records, done.feedback, done.reflections) == (2, 1, 1)


async def test_the_words_of_a_retraction_lose_the_name() -> None:
    async with open_house(unasked=False) as house:
        await tell(house, "The old harbour closes at nine.", record_id=STANDS, source="Bob")
        taking = RetractRecords(key=ADA, chosen=Selection(source="Bob"), reason="Bob was wrong. It is open.")
        await retract_records(house, taking)

        await drop_mentions(house, ADA, BOB)

        async with house.collections.reading(ADA) as collection:
            (kept,) = collection.retractions.values()
    assert (kept.source, kept.reason) == ("███", "█" * 14 + " It is open.")
