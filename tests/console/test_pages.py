"""All pages: each is there in both languages, and what a memory holds stays text in every one of them."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from console.door import HEADERS
from console.language import NAMES
from console.pages import PAGES
from tests.support.console import Browser, console, words_of
from tests.support.console_memory import Remembered, remember
from tests.support.scale import scaled

PAYLOADS = (
    "<script>window.hit=1</script>",
    "\"'><img src=x onerror=window.hit=1> javascript:window.hit=1 {{ 7*7 }} ${7*7}",
    "</textarea></title></style><svg/onload=window.hit=1>",
    "<a href='javascript:window.hit=1' hx-get='//evil.example' hx-on:click='window.hit=1'>go</a>",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "<form action=//evil.example><button>Delete</button></form>",
    "<meta http-equiv=refresh content='0;url=//evil.example'><base href=//evil.example>",
    "<math><mtext><style><img src=x onerror=window.hit=1></style></mtext></math>",
    "&lt;script&gt;window.hit=1&lt;/script&gt; \u202eevil\u202c \x1b[31m",
    "' onfocus=window.hit=1 autofocus x='",
    "<template><slot onslotchange=window.hit=1></slot></template><!-- -->",
)
QUICK = 2
"""How many of the payloads are tried on every run; all of them in soak."""
OWN_ATTRIBUTES = ("href", "src", "action")


def addresses(memory: Remembered) -> list[str]:
    """The address of each page of a memory that is read."""
    user, bank = {"user": memory.user}, {"bank": memory.bank_id}
    talk = {**user, "conversation": memory.conversation_id}
    collection = {**user, "collection": memory.collection}
    asked = [
        ("/", {}),
        ("/server", {}),
        ("/user", user),
        ("/bank", bank),
        ("/collection", collection),
        ("/conversation", talk),
        ("/context", {}),
        ("/context", {**collection, **talk, **bank}),
        ("/conflicts", {}),
        ("/conflict", bank),
        ("/conflict", {**bank, "conflict": memory.conflict_id}),
        ("/doubt", collection),
        ("/node", {**bank, "node": memory.node_id}),
        ("/graph", {**bank, "node": memory.node_id}),
        ("/interaction", {**bank, "interaction": memory.interaction_id}),
        ("/interaction", {**bank, "interaction": memory.interaction_id, "segment": "0"}),
        ("/file", {**bank, "file": memory.attachment_id}),
        ("/picture", {**bank, "file": memory.attachment_id}),
        ("/pair", {**bank, "first": memory.node_id, "second": memory.other_id}),
        ("/pair", {**collection, "first": memory.contested_ids[0], "second": memory.contested_ids[1]}),
        ("/record", {**collection, "record": memory.record_id}),
        ("/record", {**collection, "record": memory.contested_ids[0]}),
        ("/review", collection),
        ("/turn", {**talk, "step": "2"}),
        ("/document", {"level": "user", "owner": memory.user, "path": memory.path}),
    ]
    return [f"{path}?{urlencode(fields)}" for path, fields in asked]


def questions(browser: Browser, memory: Remembered) -> Iterator[str]:
    """The page of each form that asks or searches."""
    bank, collection = {"bank": memory.bank_id}, {"user": memory.user, "collection": memory.collection}
    talk = {"user": memory.user, "conversation": memory.conversation_id}
    user = urlencode({"user": memory.user})
    text = memory.user
    yield browser.send(f"/user?{user}", text=text).text
    yield browser.send(f"/bank?{urlencode(bank)}", text=text).text
    chosen = {
        "chosen_bank": memory.bank_id,
        "chosen_conversation": memory.conversation_id,
        "chosen_collection": f"={memory.collection}",
    }
    yield browser.send(f"/context?{user}", text=text, words=text, told="1", budget="3000", **chosen).text
    asked: list[tuple[str, dict[str, str]]] = [
        ("node", {**bank, "id": memory.node_id}),
        ("interactions", {**bank, "id": memory.interaction_id}),
        ("record", {**collection, "id": memory.record_id}),
        ("record-retraction", {**collection, "id": memory.record_id}),
        ("fact", {**collection, "id": memory.contested_ids[0]}),
        ("turn", {**talk, "id": "1"}),
        ("turn-retraction", {**talk, "id": "1"}),
        ("key-memory", {**talk, "id": memory.key_id}),
    ]
    for what, fields in asked:
        answer = browser.send("/change/ask", what=what, **fields)
        assert answer.status_code == 200, answer.text
        yield answer.text
    page = browser.page(f"/conflict?{urlencode(bank)}")
    yield browser.submit(page, "/change/ask", choice="side-1").text


class Elements(HTMLParser):
    """What stands in a page as an element or an attribute, each once; addresses without what they name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[tuple[str, str, str]] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, "", ""))
        for name, value in attrs:
            shown = (value or "").partition("?")[0] if name in OWN_ATTRIBUTES else ""
            self.found.add((tag, name, shown))


@pytest.fixture(scope="module")
def plain(browser: Browser, memory: Remembered) -> set[tuple[str, str, str]]:
    """All elements and attributes of the pages of a memory that holds plain words."""
    pages = [browser.page(address) for address in addresses(memory)]
    return {one for page in (*pages, *questions(browser, memory)) for one in Elements(page).found}


def test_every_page_is_among_those_that_are_tried(memory: Remembered) -> None:
    tried = {address.partition("?")[0] for address in addresses(memory)}

    assert {path for path, methods, _ in PAGES if "GET" in methods} == tried


@pytest.mark.parametrize("code", NAMES)
def test_every_page_is_there_in_both_languages(browser: Browser, memory: Remembered, code: str) -> None:
    browser.send("/change/language", language=code, back="/")
    try:
        pages = {address: browser.page(address) for address in addresses(memory)}
    finally:
        browser.send("/change/language", language="en", back="/")

    shown = {address: page for address, page in pages.items() if page.startswith("<!doctype")}
    assert len(shown) == len(pages) - 3  # a drawing, a file, a picture
    assert [address for address, page in shown.items() if f'<html lang="{code}">' not in page] == []
    titles = {re.search("<title>(.*?)</title>", page)[1] for page in shown.values()}  # type: ignore[index]
    assert len(titles) == 1, "a title names nothing that is remembered"


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_what_a_memory_holds_stays_text(
    browser: Browser, memory: Remembered, plain: set[tuple[str, str, str]], number: int
) -> None:
    if number >= scaled(QUICK):
        pytest.skip("at soak's size")
    evil = remember(browser.client, f"eve{number}", PAYLOADS[number].translate(dict.fromkeys((0x1B,), " ")))
    pages = [browser.page(address) for address in addresses(evil)] + list(questions(browser, evil))

    assert {one for page in pages for one in Elements(page).found} - plain == set()
    said = " ".join(map(words_of, pages))
    assert " ".join(PAYLOADS[number].partition("\u202e")[0].split()) in said


def test_what_an_address_brings_stays_text_too(browser: Browser, plain: set[tuple[str, str, str]]) -> None:
    troubled = Elements(browser.get("/bank?bank=none").text).found
    for payload in PAYLOADS[: scaled(QUICK)]:
        for path, methods, _ in PAGES:
            named = urlencode(
                dict.fromkeys(("user", "bank", "node", "step", "level", "record", "collection"), payload)
            )
            answer = browser.get(f"{path}?{named}") if "GET" in methods else browser.send(path, what=payload)
            if answer.headers.get("content-type", "").startswith("text/html"):
                assert Elements(answer.text).found <= plain | troubled, (path, payload)


FIELDS = (
    "user",
    "bank",
    "node",
    "collection",
    "conversation",
    "record",
    "interaction",
    "file",
    "conflict",
    "level",
)
NUMBERS = (
    "step",
    "first",
    "segment",
    "start",
    "version",
    "budget",
    "state",
    "users",
    "banks",
    "nodes",
    "records",
)
ODD = ("٣", "\x00", "9" * 300, "", "-1", "a", "../..")


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_nothing_that_is_asked_for_fails(browser: Browser, memory: Remembered, odd: str) -> None:
    """A page that fails raises here."""
    if ODD.index(odd) > scaled(QUICK):
        pytest.skip("at soak's size")
    known = {
        "user": memory.user,
        "bank": memory.bank_id,
        "level": "user",
        "interaction": memory.interaction_id,
    }
    known |= {"conversation": memory.conversation_id, "collection": memory.collection}
    for path, methods, _ in PAGES:
        for fields in (dict.fromkeys((*FIELDS, *NUMBERS), odd), {**dict.fromkeys(NUMBERS, odd), **known}):
            address = f"{path}?{urlencode(fields, errors='replace')}"
            for method in methods:
                answer = browser.get(address) if method == "GET" else browser.send(address, text=odd[:100])
                assert answer.status_code < 500, (method, address)
    assert browser.get("/bank?bank=%ff%ed%a0%80").status_code == 400


def test_a_file_is_saved_and_never_shown_but_as_a_picture(browser: Browser, memory: Remembered) -> None:
    named = urlencode({"bank": memory.bank_id, "file": memory.attachment_id})
    html = b"\xff\xd8<script>alert(1)</script>"
    browser.client.upload_attachment(
        html, bank_id=memory.bank_id, attachment_id="page", type="image", media_type="image/png"
    )

    saved, picture = browser.get(f"/file?{named}"), browser.get(f"/picture?{named}")
    page = urlencode({"bank": memory.bank_id, "file": "page"})
    saved_page, shown_page = browser.get(f"/file?{page}"), browser.get(f"/picture?{page}")

    assert saved.headers["content-disposition"] == 'attachment; filename="map"'
    assert (saved.headers["content-type"], saved_page.content) == ("application/octet-stream", html)
    assert picture.headers["content-type"] == "image/png"
    assert (shown_page.status_code, shown_page.content) == (415, b"")
    for answer in (saved, picture, saved_page):
        assert answer.headers["content-security-policy"] == f"{HEADERS['Content-Security-Policy']}; sandbox"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_a_memory_names_is_no_link(browser: Browser, memory: Remembered) -> None:
    far = "https://evil.example/a.png"
    told = browser.client.memorize(bank_id=memory.bank_id, text=f"See {far}.", source=far)

    page = browser.page(f"/interaction?bank={memory.bank_id}&interaction={told.interaction_id}")

    assert far in words_of(page)
    assert not [one for one in Elements(page).found if "evil.example" in one[2]]


def test_a_server_that_is_away_a_bank_that_is_gone_get_a_sentence(
    browser: Browser,
) -> None:
    browser.client.create_bank(bank_id="short")
    assert "short" in words_of(browser.page("/bank?bank=short"))
    browser.client.delete_bank(bank_id="short")

    gone = browser.get("/bank?bank=short")
    with console(server="127.0.0.1:1") as away:
        lost = [away.get(address) for address in ("/", "/user?user=ada", "/conflicts", "/server")]

    assert gone.status_code == 404
    assert "it is gone by now" in words_of(gone.text)
    assert [answer.status_code for answer in lost] == [503] * 4
    assert all("No memory bank answers at 127.0.0.1:1." in words_of(answer.text) for answer in lost)


def test_long_and_right_to_left_words_hold(browser: Browser) -> None:
    size = 200_000 if scaled(1) == 1 else 4 * 1024 * 1024 - 100_000  # of 4 MiB that a call may hold
    longest, arabic = "word " * (size // 5), "العبارة تغادر في التاسعة \u202e"
    browser.client.create_bank(bank_id="long", goal="g" * 2_000)
    node = browser.client.add_node(bank_id="long", summary="n" * 65_536, verbatim=longest).node
    interaction_id = node.interaction_ids[0]
    browser.client.memorize(bank_id="long", text=arabic)

    browser.page(f"/node?bank=long&node={node.node_id}")
    bank = browser.page("/bank?bank=long")
    first = browser.page(f"/interaction?bank=long&interaction={interaction_id}")

    assert len(first) < 100_000
    assert "start=20001" in first
    assert "\u202e" not in bank
    assert 'dir="auto"' in bank


def test_a_list_goes_on_where_its_page_ended(browser: Browser) -> None:
    names = [f"many-{number:03}" for number in range(51)]
    for name in names:
        browser.client.create_bank(bank_id=name, user="many")
    seen: list[str] = []
    address: str | None = "/user?user=many"

    while address is not None:
        page = browser.page(address)
        seen += re.findall(r'href="/bank\?bank=(many-\d+)"', page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        address = unescape(following[1]) if following else None

    assert seen == names
