"""What counts as sensitive, in both languages, and what does not."""

import pytest

from core.text.sensitive import SECRETS, Finding, Sort, found, lines_of_json, masked, sort_in

SENSITIVE = [
    ("My password is hunter2.", Sort.CREDENTIAL),
    ("my wifi password is swordfish", Sort.CREDENTIAL),
    ("The password for the NAS is Tr0ub4dor&3", Sort.CREDENTIAL),
    ("API key: 9f8a7b6c5d4e3f2a", Sort.CREDENTIAL),
    ("use sk-proj-abcdefghijklmnop1234567890 for it", Sort.CREDENTIAL),
    ("AKIAIOSFODNN7EXAMPLE is in the file", Sort.CREDENTIAL),
    ("Authorization: Bearer abcdef0123456789abcdef", Sort.CREDENTIAL),
    ("postgres://ada:s3cret@db.example/main", Sort.CREDENTIAL),
    ("redis://:s3cret@cache.example", Sort.CREDENTIAL),
    ("数据库是postgres://ada:s3cret@db.example", Sort.CREDENTIAL),
    ("see aschemeofmorethanthirtyonecharacters://ada:s3cret@db", Sort.CREDENTIAL),
    ("The verification code is 482913.", Sort.CREDENTIAL),
    ("她的密码是 hunter2。", Sort.CREDENTIAL),
    ("银行卡密码：639201", Sort.CREDENTIAL),
    ("验证码为482913，五分钟内有效", Sort.CREDENTIAL),
    ("密码是ｈｕｎｔｅｒ２", Sort.CREDENTIAL),
    ("Pay with 4111 1111 1111 1111 please", Sort.CARD),
    ("卡号6222021234567890128。", Sort.CARD),
    ("卡号是４１１１１１１１１１１１１１１１", Sort.CARD),
    ("身份证号11010519491231002X", Sort.IDENTITY),
    ("His ID is 440524188001010014.", Sort.IDENTITY),
    ("My SSN is 078-05-1120.", Sort.IDENTITY),
    ("social security number: 219 09 9999", Sort.IDENTITY),
    ("Pay to DE89 3704 0044 0532 0130 00, please.", Sort.ACCOUNT),
    ("IBAN NO9386011117947", Sort.ACCOUNT),
    ("汇款到GB82WEST12345698765432。", Sort.ACCOUNT),
    ("call me at +1 415-555-2671", Sort.TELEPHONE),
    ("手机13800138000", Sort.TELEPHONE),
    ("座机010-62345678", Sort.TELEPHONE),
    ("write to ada.lovelace@example.co.uk", Sort.MAIL),
]
HARMLESS = [
    "I forgot my password.",
    "Part 078-05-1120 is in stock.",
    "My SSN is 912-12-3456.",
    "The order DE89 WEST 1234 5698 7654 33 was sent.",
    "The password is required, and it must be strong.",
    "My password was reset yesterday.",
    "The token budget is 2000 tokens.",
    "The secret of his success is patience.",
    "密码是必填项。",
    "忘记密码怎么办？",
    "The order number is 4111 1111 1111 1112.",
    "编号11010519491231002 1",
    "It happened on 2024-05-01 at 09:00:00, run 20240501090000123.",
    "version 3.14.15, chapter 12-13",
    "圆周率是3.14159265358979",
    "The trip took 1,380,013 steps.",
]


@pytest.mark.parametrize(("text", "sort"), SENSITIVE)
def test_what_is_sensitive_is_found(text: str, sort: Sort) -> None:
    assert [finding.sort for finding in found(text)] == [sort]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_is_not(text: str) -> None:
    assert found(text) == []


def test_telephones_and_addresses_are_no_secrets() -> None:
    assert sort_in(["call +1 415-555-2671", "write to ada@example.org"], SECRETS) is None


def test_a_mask_takes_the_place_of_the_words_alone() -> None:
    text, count = masked("My password is hunter2, my mail ada@example.org.")

    assert (text, count) == ("My password is ▇▇▇, my mail ▇▇▇.", 2)


def test_a_value_counts_by_the_name_it_has_in_json() -> None:
    lines = lines_of_json(
        '{"login": {"pass_word": "hunter2"}, "cards": [4111111111111111], "\\u5bc6\\u7801": "a1b2c3"}'
    )

    assert {finding.sort for line in lines for finding in found(line)} == {Sort.CREDENTIAL, Sort.CARD}
    assert sort_in(lines_of_json('{"limit": 10, "ok": true}')) is None


def test_a_long_text_is_read_in_one_go() -> None:
    """In time that grew with the square of its length this would take minutes."""
    many = "ada@example.org, " * 5_000

    assert found("x-" * 40_000 + "http://ada:s3cretword@db") == [Finding(80_011, 80_021, Sort.CREDENTIAL)]
    assert len(found(many)) == 5_000
    assert masked(many)[1] == 5_000


@pytest.mark.parametrize("part", ["a", "a://", "a://b:", "a://:", "a://b:c", "a://b:c:", "://", ":", "a://b"])
def test_addresses_without_end_are_read_in_one_go(part: str) -> None:
    """In time that grew with the square of its length this would take minutes."""
    text = "a://" + part * (200_000 // len(part))

    assert sort_in([text]) is None


def test_values_of_json_are_named_in_order_however_deep() -> None:
    deep = '{"a": ' * 150 + '{"the_pin": [1, {"b": "x"}], "c": null}' + "}" * 150

    assert lines_of_json(deep) == ["the pin: 1", "1", "b: x", "x"]
