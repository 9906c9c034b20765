"""Results of checks in JUnit's form of XML, which build servers show."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from memorybank_client.checking import Outcome

NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, also not escaped."""


def junit_of(suite: str, outcomes: Sequence[Outcome]) -> bytes:
    """Makes a document with one test case for each outcome: one whose call was refused is an error, else a failure."""
    broken = [each for each in outcomes if each.problems]
    refused = sum(each.refused for each in broken)
    root = Element(
        "testsuite",
        name=_text(suite),
        tests=str(len(outcomes)),
        failures=str(len(broken) - refused),
        errors=str(refused),
        time=f"{sum(each.seconds for each in outcomes):.3f}",
    )
    for each in outcomes:
        expected = each.expectation
        name = expected.name or f"{expected.call}: {expected.query}"
        case = SubElement(
            root,
            "testcase",
            classname=_text(suite),
            name=_text(name),
            line=str(expected.line),
            time=f"{each.seconds:.3f}",
        )
        if each.problems:
            kind = "error" if each.refused else "failure"
            told = SubElement(case, kind, message=_text(each.problems[0].splitlines()[0]))
            told.text = _text("\n".join(each.problems))
    made: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return made


def _text(said: str) -> str:
    return NO_XML.sub("\ufffd", said)
