"""What was said in a user's other conversations, in the prompt of a new one, over a real channel."""

from datetime import UTC, datetime

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp

from memorybank.v1 import conversation_pb2 as conversation
from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1 import retrieval_pb2 as pb
from tests.support.server import Service

DAY = Timestamp(seconds=int(datetime(2026, 3, 2, tzinfo=UTC).timestamp()))


async def say(service: Service, input_: str, reply: str = "", name: str = "old", **fields: object) -> None:
    turn = conversation.Turn(input=input_, reply=reply, event_time=DAY)
    await service.conversation.AddTurns(
        conversation.AddTurnsRequest(user="ada", conversation_id=name, turns=[turn], **fields)  # type: ignore[arg-type]
    )


async def context(service: Service, input_: str, **fields: object) -> pb.AssembleContextResponse:
    fields = {"conversation_id": "new", "collection": "", "allow_partial": True, **fields}
    asked = pb.AssembleContextRequest(user="ada", input=input_, **fields)  # type: ignore[arg-type]
    return await service.retrieval.AssembleContext(asked)


def items(made: pb.AssembleContextResponse) -> list[str]:
    return [item.id for section in made.sections if section.name == "elsewhere" for item in section.items]


@pytest.mark.parametrize(
    ("told", "asked", "line"),
    [
        (
            "The blue bicycle stands in the cellar",
            "Where is the blue bicycle?",
            "## Said in other conversations\n2 March 2026\n- [old:1] User: The blue bicycle stands in the cellar",
        ),
        (
            "蓝色的自行车在地下室",
            "蓝色的自行车在哪里？",
            "## 在其他对话中说过的\n2026年3月2日\n- [old:1] 用户：蓝色的自行车在地下室",
        ),
    ],
)
async def test_a_sentence_that_is_no_fact_stands_in_the_prompt_of_a_new_conversation(
    service: Service, told: str, asked: str, line: str
) -> None:
    await say(service, told)
    await say(service, "Tell me a story about a whale.", "Once there was a whale.", name="other")

    made = await context(service, asked)

    assert line in made.prompt
    assert items(made)[0] == "old#1" or "old#1" in items(made)
    assert sum(section.tokens for section in made.sections if section.name == "elsewhere") > 0


async def test_a_reply_stands_behind_what_it_answers(service: Service) -> None:
    await say(service, "And the second one?", "The second ferry to Naxos leaves at noon.")

    made = await context(service, "When does the second ferry to Naxos leave?")

    assert (
        "- [old:1] User: And the second one? Assistant: The second ferry to Naxos leaves at noon."
        in made.prompt
    )


async def test_a_call_may_do_without(service: Service) -> None:
    await say(service, "The blue bicycle stands in the cellar")

    made = await context(service, "Where is the blue bicycle?", recall_turns=False)

    assert not items(made)
    assert "cellar" not in made.prompt


async def test_only_conversations_that_teach_the_collection_are_looked_into(service: Service) -> None:
    await say(service, "The blue bicycle stands in the cellar", name="private")
    await say(service, "The blue bicycle was dear", name="work", collection="work")

    of_work, of_none, without = [
        await context(service, "What about the blue bicycle?", collection="work"),
        await context(service, "What about the blue bicycle?", collection=""),
        await service.retrieval.AssembleContext(
            pb.AssembleContextRequest(
                user="ada", input="What about the blue bicycle?", conversation_id="new", allow_partial=True
            )
        ),
    ]

    assert items(of_work) == ["work#1"]
    assert items(of_none) == ["private#1"]
    assert not items(without)


async def test_a_conversation_s_own_turns_stand_once(service: Service) -> None:
    await say(service, "The blue bicycle stands in the cellar", name="new")

    made = await context(service, "Where is the blue bicycle?")

    assert not items(made)
    assert made.prompt.count("The blue bicycle stands in the cellar") == 1


async def test_a_fact_that_says_the_same_stands_for_the_turn(service: Service) -> None:
    await say(service, "The blue bicycle stands in the cellar")
    await service.long_term.StoreFact(
        long_term.StoreFactRequest(user="ada", content="The blue bicycle stands in the cellar", wait=True)
    )

    made = await context(service, "Where is the blue bicycle?")

    assert made.prompt.count("The blue bicycle stands in the cellar") == 1
    copies = [
        copy.id
        for section in made.sections
        if section.name == "facts"
        for item in section.items
        for copy in item.copies
    ]
    assert copies == ["old#1"]


async def test_what_was_deleted_replaced_or_is_secret_is_not_told_again(service: Service) -> None:
    for told in (
        "My dentist is Okafor.",
        "I live in Leeds.",
        "My key is sk-abcdefghijklmnopqrstuvwxyz0123456789AB.",
    ):
        await say(service, told)
    store = [
        await service.long_term.StoreFact(long_term.StoreFactRequest(user="ada", content=told, wait=True))
        for told in ("My dentist is Okafor.", "I live in Leeds.")
    ]
    dentist, leeds = (each.record.record_id for each in store)
    await service.long_term.DeleteRecords(long_term.DeleteRecordsRequest(user="ada", record_ids=[dentist]))
    await service.long_term.StoreFact(
        long_term.StoreFactRequest(user="ada", content="I live in York.", supersedes=[leeds], wait=True)
    )

    made = [
        await context(service, asked)
        for asked in ("Who is my dentist?", "Where do I live?", "What is my key?")
    ]

    assert not any(word in one.prompt for one in made for word in ("Okafor", "Leeds", "sk-"))
    assert "York" in made[1].prompt


@pytest.mark.parametrize("off", ["user", "conversation", "collection", "review"])
async def test_memory_that_is_off_or_waits_for_a_person_tells_nothing(service: Service, off: str) -> None:
    await say(service, "The blue bicycle stands in the cellar")
    await service.long_term.StoreFact(
        long_term.StoreFactRequest(user="ada", content="Ada likes tea.", wait=True)
    )
    mask = FieldMask(paths=["review" if off == "review" else "enabled"])
    match off:
        case "user":
            switched = long_term.UpdateUserRequest(
                user=long_term.User(user="ada", enabled=False), update_mask=mask
            )
            await service.long_term.UpdateUser(switched)
        case "conversation":
            record = conversation.ConversationRecord(enabled=False)
            await service.conversation.UpdateConversation(
                conversation.UpdateConversationRequest(
                    user="ada", conversation_id="old", conversation=record, update_mask=mask
                )
            )
        case _:
            changed = long_term.Collection(
                user="ada", enabled=off != "collection", review=long_term.REVIEW_LEARNED
            )
            await service.long_term.UpdateCollection(
                long_term.UpdateCollectionRequest(collection=changed, update_mask=mask)
            )

    made = await context(service, "Where is the blue bicycle?")

    assert not items(made)
    assert len({part.part for part in made.missing}) == len(made.missing)


@pytest.mark.parametrize(
    ("fact", "reply", "asked", "fits"),
    [
        ("We moved to Ghent in May.", "How lovely!", "When did we move to Ghent?", False),
        ("We moved to Ghent in May.", "Trains leave Ghent hourly.", "How often do trains leave Ghent?", True),
        ("我们五月搬到了根特。", "太好了！", "我们什么时候搬到根特的？", False),
        ("我们五月搬到了根特。", "根特每小时有火车。", "根特的火车每小时有几班？", True),
    ],
)
async def test_what_a_fact_says_is_not_said_again_under_it(
    service: Service, fact: str, reply: str, asked: str, fits: bool
) -> None:
    await say(service, fact, reply)
    await service.long_term.StoreFact(long_term.StoreFactRequest(user="ada", content=fact, wait=True))

    made = await context(service, asked)

    assert made.prompt.count(fact.rstrip(".。")) == 1
    assert (reply in made.prompt) is fits


@pytest.mark.parametrize(
    ("greeting", "fact", "asked"),
    [
        ("Hi! ", "We moved to Ghent in May.", "When did we move to Ghent?"),
        ("你好！", "我们五月搬到了根特。", "我们什么时候搬到根特的？"),
    ],
)
async def test_a_greeting_is_not_what_is_left_to_tell(
    service: Service, greeting: str, fact: str, asked: str
) -> None:
    await say(service, greeting + fact, "OK.")
    await service.long_term.StoreFact(long_term.StoreFactRequest(user="ada", content=fact, wait=True))

    made = await context(service, asked)

    assert made.prompt.count(fact) == 1
    assert not items(made)


@pytest.mark.parametrize(
    ("talk", "asked", "title"),
    [
        (
            ("Pick a name for my boat.", "I wish I could sing.", "The ferry to Naxos leaves at nine."),
            "When does the ferry to Naxos leave?",
            "## Said in other conversations",
        ),
        (
            ("帮我的船起个名字。", "我真希望会唱歌。", "去纳克索斯的渡轮九点开。"),
            "去纳克索斯的渡轮几点开？",
            "## 在其他对话中说过的",
        ),
    ],
)
async def test_where_something_fits_what_has_nothing_to_do_with_it_is_left_out(
    service: Service, talk: tuple[str, ...], asked: str, title: str
) -> None:
    for said in talk:
        await say(service, said)

    made = await context(service, asked)

    assert title in made.prompt
    assert items(made) == ["old#3"]


@pytest.mark.parametrize(
    ("order", "first", "asked"),
    [
        ("Always answer in metric units.", "## What the user prefers", "Where is the blue bicycle?"),
        ("以后请一直用公制单位回答。", "## 用户偏好", "蓝色的自行车在哪里？"),
    ],
)
async def test_a_standing_order_stands_first_once_whatever_is_asked(
    service: Service, order: str, first: str, asked: str
) -> None:
    await say(service, order)
    await say(service, "The blue bicycle stands in the cellar", name="other")
    await service.long_term.StoreFact(
        long_term.StoreFactRequest(user="ada", content=order, category="preference", wait=True)
    )

    made = [await context(service, text) for text in (asked, "Thanks!")]

    headings = [line for line in made[0].prompt.splitlines() if line.startswith("## ")]
    assert headings[0] == first
    assert [one.prompt.count(order) for one in made] == [1, 1]
