"""How English speakers say what holds for every answer from now on; see `core.language.cues.Cues.order`."""

_VERBS = (
    r"(?:answer|reply|respond|write|speak|talk|use|call|address|give(?! up)|show|list|cite|quote|name|add|include|keep"
    r"|put|mark|format|round|convert|explain|translate|ask|tell|remind|check|confirm|start|begin|end|finish|stick|avoid"
    r"|skip|leave|omit|make|do(?: not|n['’]t)?|don['’]t|stop|be|send|suggest|assume|prefer|treat|say|mention|spell)\b"
)
_POLITE = r"(?:(?:please|kindly|just|and|so|but|also)\b,?\s*)*"
_LASTS = (
    r"(?:from now on|from here on|going forward|in (?:the )?future|henceforth|at all times|from today on)"
)
ORDER = (
    rf"{_POLITE}(?:(?:always|never)\s+{_VERBS}"
    rf"|{_LASTS}\b,?\s*(?:i (?:want|need|['’]?d like) you to\s+)?{_POLITE}(?:always\s+|never\s+)?{_VERBS}"
    rf"|(?:when(?:ever)?|every time|each time|if) you"
    rf" (?:answer|reply|write|send|give|use|mention|quote|suggest|explain)\b[^,.!?]*,"
    rf"\s*{_POLITE}(?:always\s+|never\s+)?{_VERBS}"
    rf"|(?:i (?:want|need|['’]?d like|would like) you to|you (?:should|must|can))\s+(?:always|never)\s+{_VERBS}"
    rf"|do(?: not|n['’]t) ever\s+{_VERBS}"
    rf"|{_VERBS}.{{2,120}}?\b(?:{_LASTS}|,\s*always)\s*[.!]*$)"
)
ORDER_BOUND = (
    r"\b(?:this|that) (?:time|once|one|conversation|chat|session|talk|story|game|trip|answer|text|mail|letter|poem)\b"
    r"|\b(?:today|tonight|tomorrow|for now|just once|for once|until|till|in the (?:story|game|text|poem))\b"
)
