"""What all sections of the settings are, and what they hold."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

PRINTABLE = re.compile(r"[!-~]*")


def _is_an_address(url: str) -> str:
    if url and not url.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    if "@" in url:
        raise ValueError("a key does not belong here, but into `api_key`")
    if not PRINTABLE.fullmatch(url):
        raise ValueError("holds characters that no address has")
    return url


def _is_a_key(key: SecretStr) -> SecretStr:
    """Checks a key, which travels in a header."""
    if not PRINTABLE.fullmatch(key.get_secret_value()):
        raise ValueError("holds a blank, a line break or another character that no key has")
    return key


Positive = Annotated[int, Field(gt=0)]
CENTURY = 36_525.0  # days: no setting is longer, so that no time reckoned with it leaves the calendar
Seconds = Annotated[float, Field(gt=0, le=CENTURY * 86_400)]
Hours = Annotated[float, Field(gt=0, le=CENTURY * 24)]
Days = Annotated[float, Field(gt=0, le=CENTURY)]
Address = Annotated[str, AfterValidator(_is_an_address)]
Key = Annotated[SecretStr, AfterValidator(_is_a_key)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
