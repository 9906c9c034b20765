"""A large memory of one user's journeys, in English and Chinese: what the console's pictures are taken of.

Law: it knows the client alone, nothing of the pages.
"""

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from memorybank.v1 import long_term_pb2 as long_term
from memorybank.v1.conversation_pb2 import Turn
from memorybank_client import SyncMemoryBankClient

AT_ONCE = 100
ISLANDS = ("Naxos", "Paros", "Delos", "Samos", "Leros", "Tinos", "Andros", "Milos", "Sifnos", "Kea")
TOWNS = ("青岛", "大连", "厦门", "宁波", "烟台", "珠海", "三亚", "威海", "舟山", "汕头")
ENGLISH = (
    "On {island} the bus number {n} goes from the harbour to the old town every half hour.",
    "Taverna {n} on {island} serves grilled octopus, and closes at eleven.",
    "The ferry office {n} on {island} sells tickets from six in the morning.",
    "Room {n} of the guest house on {island} looks out on the bay; it costs {price} euros a night.",
    "The path number {n} on {island} leads to a chapel; it takes {price} minutes on foot.",
)
CHINESE = (
    "{town}的{n}路公交车每半小时从码头开往老城。",
    "{town}第{n}号餐馆的烤鱼很有名，晚上十一点关门。",
    "{town}的{n}号售票处早上六点开始卖船票。",
    "{town}的客栈{n}号房面朝海湾，每晚{price}元。",
    "{town}的{n}号步道通往山顶的寺庙，步行要{price}分钟。",
)
TURNS = (
    ("My sister is allergic to walnuts, so no walnut cake for her.", "Noted: no walnuts for your sister."),
    ("We are four, and the children get seasick.", "Then a large ferry, seats amidships."),
    ("酒店要离港口近一点。", "好的，我找步行可到的酒店。"),
    ("What does the room cost?", "The room at the harbour costs 80 euros a night."),
    ("Is there a bus to the beach?", "Every half hour, from the square behind the harbour."),
    ("Which ferry takes bicycles?", "All of them do, on the lower deck."),
)


def topics() -> Iterator[str]:
    """Yields sentences without an end to them, one of each language in turn."""
    n = 0
    while True:
        for (english, chinese), (island, town) in product(
            zip(ENGLISH, CHINESE, strict=True), zip(ISLANDS, TOWNS, strict=True)
        ):
            n += 1
            yield english.format(island=island, n=n, price=20 + n % 70)
            yield chinese.format(town=town, n=n, price=100 + n % 300)


def remember_journeys(client: SyncMemoryBankClient, nodes: int) -> None:
    """Remembers Ada's: a bank of so many topics with conflicts, a conversation, a collection with doubts and with what
    waits for an approval."""
    owner: dict[str, Any] = {"user": "ada", "collection": "journeys"}
    client.create_bank(bank_id="trip", user="ada", collection="journeys", goal="Reach Naxos before noon")
    client.create_bank(bank_id="lodging", user="ada", goal="在纳克索斯找一家离港口近的酒店")
    _fill(client, "trip", nodes)
    for text, source in (
        ("The ferry to Naxos leaves at nine. It takes cars.", "the timetable"),
        ("The ferry to Naxos leaves at ten. It takes cars.", "the captain"),
        ("去青岛的船九点开，可以带车。", "时刻表"),
        ("去青岛的船十点开，可以带车。", "船长"),
        ("我们在纳克索斯住三晚。酒店离港口两百米。", "预订确认"),
        ("Bicycles go on the lower deck, and cost five euros each.", "the web"),
    ):
        client.memorize(bank_id="trip", text=text, source=source)
    turns = [Turn(input=asked, reply=answered) for asked, answered in TURNS * 3]
    client.add_turns(user="ada", conversation_id="summer", collection="journeys", turns=turns)
    client.add_key(user="ada", conversation_id="summer", text="The budget is 500 euros.")
    for town in ("Porto", "Lisbon"):
        client.store_fact(**owner, content=f"Ada lives in {town}.", source="the form", wait=True)
    client.store_fact(**owner, content="Ada speaks Greek.", wait=True)
    booked = long_term.Record(kind=long_term.RECORD_KIND_MEMORY, content="Call hotels before booking online.")
    client.add_record(**owner, record=booked)
    waits: dict[str, Any] = {"user": "ada", "collection": "guests"}
    client.update_collection(
        collection=long_term.Collection(**waits, review=long_term.REVIEW_ALL),
        update_mask=FieldMask(paths=["review"]),
    )
    for content in ("Bela eats no fish.", "贝拉的航班改到星期五。", "Bela arrives with two children."):
        client.store_fact(**waits, content=content, source="a mail of Bela's")


def _fill(client: SyncMemoryBankClient, bank_id: str, nodes: int) -> None:
    said = topics()
    for _ in range(0, nodes, AT_ONCE):
        made: list[Any] = [{"summary": each, "source": "a guide book"} for each in islice(said, AT_ONCE)]
        client.batch_add_nodes(bank_id=bank_id, nodes=made)
