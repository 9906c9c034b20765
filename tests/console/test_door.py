"""Who reaches a page: under which names, from which pages, with which cookie; and what every answer carries."""

from collections.abc import Iterator

import pytest

from console.door import HEADERS, LARGEST_FORM
from console.sessions import IDLE_SECONDS, Sessions
from tests.support.console import HOST, ORIGIN, PORT, Browser, console


@pytest.fixture
def unopened(browser: Browser) -> Iterator[Browser]:
    """The same console, as a browser finds it that was not let in."""
    cookie, browser.cookie = browser.cookie, ""
    yield browser
    browser.cookie = cookie


@pytest.mark.parametrize(
    "address", ["/", "/enter?token=wrong", "/static/console.css", "/user", "/no-such-page"]
)
def test_every_answer_keeps_what_it_shows_from_acting_and_from_being_kept(
    browser: Browser, address: str
) -> None:
    answer = browser.get(address)

    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    assert HEADERS["Cache-Control"] == "no-store"


def test_it_is_asked_under_its_own_names_alone(browser: Browser) -> None:
    right = [HOST, f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"]
    wrong = [
        "evil.example",
        f"evil.example:{PORT}",
        "localhost",
        "127.0.0.1:1",
        f"{HOST}.evil.example",
        "0.0.0.0:80",
        "",
    ]

    assert {host: browser.get("/", Host=host).status_code for host in right} == dict.fromkeys(right, 200)
    assert {host: browser.get("/", Host=host).status_code for host in wrong} == dict.fromkeys(wrong, 421)


def test_forms_of_other_pages_are_refused(browser: Browser) -> None:
    token = browser.token()
    wrong = [
        "https://evil.example",
        f"http://evil.example:{PORT}",
        "null",
        f"https://{HOST}",
        "http://localhost:1",
        "",
    ]

    def sent(**headers: str) -> int:
        fields = {"form_token": token, "language": "en", "back": "/"}
        return browser.ask("POST", "/change/language", fields, **headers).status_code

    assert sent(Origin=ORIGIN) == 303
    assert {origin: sent(Origin=origin) for origin in wrong} == dict.fromkeys(wrong, 403)
    assert browser.get("/", Origin="https://evil.example").status_code == 403


def test_a_form_without_its_token_changes_nothing(browser: Browser) -> None:
    given = [{}, {"form_token": ""}, {"form_token": "wrong"}, {"form_token": browser.token()[:-1]}]

    sent = [
        browser.ask("POST", "/change/language", {**token, "language": "zh", "back": "/"}) for token in given
    ]

    assert [answer.status_code for answer in sent] == [403] * 4
    assert '<html lang="en">' in browser.page("/")


def test_nothing_is_shown_without_the_cookie(unopened: Browser) -> None:
    wrong = [
        "",
        f"memorybank-console-{PORT}=",
        f"memorybank-console-{PORT}=wrong",
        "\x7f=;;",
        f"other={PORT}",
    ]

    assert [unopened.get("/", Cookie=cookie).status_code for cookie in wrong] == [401] * 5
    assert unopened.get("/user?user=ada").status_code == 401
    assert unopened.ask("POST", "/change/language", {"language": "zh"}).status_code == 401


def test_the_address_opens_it_once() -> None:
    with console(let_in=False, server="127.0.0.1:1") as browser:
        assert browser.get("/enter?token=wrong").status_code == 401
        entered = browser.enter()
        again = browser.get(f"/enter?token={browser.sessions.entry_token}")

    assert entered.status_code == 200
    assert again.status_code == 401
    assert "set-cookie" not in again.headers
    for word in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert word in entered.headers["set-cookie"]
    assert browser.sessions.entry_token not in entered.headers["set-cookie"] + entered.text


def test_a_session_that_lies_idle_ends() -> None:
    now = 0.0
    sessions = Sessions(clock=lambda: now)
    opened = sessions.enter(sessions.entry_token, "en")
    assert opened is not None

    now = IDLE_SECONDS
    assert sessions.of(opened.cookie) is opened
    now = 2 * IDLE_SECONDS + 1
    assert sessions.of(opened.cookie) is None


def test_what_no_page_sends_is_refused(browser: Browser) -> None:
    large = "a" * (LARGEST_FORM + 1)

    assert browser.ask("PUT", "/", Origin=ORIGIN).status_code == 405
    assert browser.ask("POST", "/change/language", {"text": large}).status_code == 413
    assert browser.ask("POST", "/change/language", {}, Content_Length="-1").status_code == 413
    assert browser.ask("POST", "/change/language", {f"f{n}": "" for n in range(300)}).status_code == 400
    assert browser.get("/static/../pages/home.py").status_code == 404
    assert browser.get("/static/%2e%2e/pages/home.py").status_code == 404


def test_a_switch_of_language_leads_back_to_pages_of_this_console_alone(browser: Browser) -> None:
    wrong = ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""]

    def led(back: str) -> str:
        fields = {"form_token": browser.token(), "language": "en", "back": back}
        return browser.ask("POST", "/change/language", fields).headers["location"]

    assert [led(back) for back in wrong] == ["/"] * 5
    assert led("/user?user=%E8%89%BE%E8%BE%BE") == "/user?user=%E8%89%BE%E8%BE%BE"


@pytest.mark.parametrize("other", ['theme={"mode": "dark"}', "bare", "a[0]=1", 'open="half'])
def test_cookies_of_other_programs_on_this_machine_lock_nobody_out(browser: Browser, other: str) -> None:
    assert browser.get("/", Cookie=f"{other}; {browser.cookie}").status_code == 200
