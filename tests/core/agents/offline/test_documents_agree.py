"""Sentences of one document that look like contradictions of each other, and contradict nothing: rules, conditions,
definitions, orders, options, examples. And beside each what does contradict."""

import pytest

from core.agents.offline.claims.openings import depends, introduced, is_order
from core.agents.offline.contradiction import contradicts


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # either way is left open
        ("Guests may bring a dog with or without a lead.", "Guests bring a dog with a lead."),
        ("The fee is due whether or not the room was used.", "The room was used."),
        ("The report does not say whether the valve was not closed.", "The valve was closed."),
        # what describes a thing denies nothing of it
        ("A plate that is not glazed is called raw.", "The plate is glazed."),
        # a bound is no denial
        ("The copy costs no more than the price of the disk.", "The copy costs the price of the disk."),
        # what stands beside the matter
        ("The gallery lends pictures at no charge.", "The workshop costs a charge of nine euros."),
        # what may be done is told more closely than what may not
        ("You may sell prints of your own drawings in the hall.", "You may not sell prints."),
        # of other things, in part by the same words
        ("Rooms other than the kitchen are not heated.", "Any guest of the kitchen is heated by the oven."),
        ("The uploaded file has not been encrypted.", "The encrypted file has been deleted."),
        # here and there in a long sentence
        (
            "The committee does not by this charter grant members a right to use the seal.",
            "Members of a choir that the town council supports with a grant can rent the boat house and, in summer, use"
            " the terrace, if the seal of the door is unbroken.",
        ),
        # capitals throughout are no name
        (
            'Furniture delivered under the Charter is delivered on an "AS FOUND" basis, WITHOUT PROMISE OF ANY KIND,'
            " either told or implied.",
            'HIRED FRAMES ARE PROVIDED UNDER THIS CHARTER ON AN "AS FOUND" BASIS, WITHOUT PROMISE OF ANY KIND, EITHER'
            " TOLD OR IMPLIED, INCLUDING.",
        ),
        # conditions, and what leans on the sentence before
        ("With no arguments, the tool prints nothing.", "The tool prints the version."),
        (
            "The bill lies in the tray for the table (without a table: for the bar).",
            "The tray lies on the table.",
        ),
        ("In the second form, the tool copies a folder.", "The tool copies a file."),
        (
            "As a result, every file is stored under the owner Kim.",
            "Every file is stored under the owner Lee.",
        ),
        # a default and what is told to differ
        ("By default, the tool does not follow links.", "The tool follows links."),
        # what need not be
        ("Helpers are not required to sign the form.", "Helpers sign the form."),
        # definitions
        ('"Dish" means a plate that has no lid.', '"Pot" means a plate that has a lid.'),
        # orders, what a command is for, command lines, headings, items of a sentence that goes on
        ("Change the owner of the shed to Kim.", "Change the owner of the shed to Lee."),
        ("mkbox - make boxes or bags", "By default mkbox does not make bags."),
        ("fetch --retries 3 https://example.com", "fetch --retries 5 https://example.com"),
        ("Box name options", "Box name transformations"),
        ("(a) the plate has a lid; and", "(b) the plate has no lid; or"),
        # options
        ("The -q option hides all warnings.", "The -v option shows all warnings."),
        ("选项 --all 显示隐藏文件。", "选项 --brief 不显示隐藏文件。"),
        # only so many
        ("The visitor has only one chance to enter.", "The visitor has a coat."),
        # a word of a quotation does not stand for it
        ('The shop lends a "lamp".', 'The shop does not lend a "box that holds a lamp".'),
    ],
)
def test_sentences_of_one_document_leave_room_for_each_other(a: str, b: str) -> None:
    assert contradicts(a, b) is None
    assert contradicts(b, a) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The cache survives a restart.", "The cache does not survive a restart."),
        ("Members may not park in the yard.", "Members may park in the yard."),
        ("By default, the tool prints ten lines.", "By default, the tool prints twenty lines."),
        ("The -q option hides all warnings.", "The -q option does not hide warnings."),
        ("Nora drinks tea without milk.", "Nora drinks tea with milk."),
        ("The gallery lends pictures at no charge.", "The gallery lends pictures at a charge."),
    ],
)
def test_beside_them_a_contradiction_is_still_found(a: str, b: str) -> None:
    assert contradicts(a, b) is not None


def test_what_opens_a_sentence_is_told_apart() -> None:
    assert depends("But if it rains, the fair is off.")
    assert depends("Without a ticket, nobody gets in.")
    assert not depends("The fair is on if it is dry.")
    assert introduced("By the way, we sold the van.") == "we"
    assert introduced("By the harbour, the market opens at six.") == ""
    assert is_order("Prints the name of each file.")
    assert is_order("Keep stirring until it thickens.")
    assert not is_order("Yesterday the shop was closed.")
