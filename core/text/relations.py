"""The bracket behind a label that names what it is related to.

Law: data alone.
"""

import re

RELATION = re.compile(r"(?:（与[^（）]+相关）| \(related to [^()]+\))([。.]?)\Z")
