"""How an English sentence asks for something."""

from core.language.requests import Requests

ORDERS = "|".join(
    (
        "answer summari[sz]e explain find compare describe analy[sz]e write tell identify determine calculate compute"
        " investigate translate give show extract evaluate discuss check verify assess recommend suggest propose choose"
        " select decide predict justify convert turn help provide prepare create generate derive deduce infer rewrite"
        " rephrase proofread simplify brainstorm classify categori[sz]e prove solve double-check cross-check advise"
        " illustrate define elaborate clarify add include keep use avoid limit ignore assume consider imagine"
    ).split()
)
PHRASES = (
    r"work(?:ing)? out|figure out|find out|come up with|look (?:for|at|up|into|through)|search for|break down"
    r"|go through|walk (?:me|us)|talk (?:me|us) through|let (?:me|us) know|make sure"
    r"|make (?:an?|the|me|us|one|two)|put (?:it|the|this|these|all)"
    r"|get (?:me|us)|think (?:about|of|through)|point out|lay out|set up|sum up|do (?:an?|the|not)|don't"
    r"|be (?:brief|concise|short)"
)
NOUNS = "|".join(
    (
        "list report research plan estimate forecast design draft rank order sort outline judge pick rate review"
        " schedule budget map name note search study test table graph plot model quote state propose build group"
    ).split()
)
OBJECT = (
    r"(?:an?|the|my|our|your|this|that|these|those|me|us|it|them|whether|if|how|what|which|who|when|where|why|all|every"
    r"|each|any|one|two|three|four|five|both|next|out)\b"
)
THINGS = (
    r"(?:summary|list|plan|answer|overview|table|estimate|recommendation|suggestion|advice|help"
    r"|explanation|report|schedule"
    r"|comparison|draft|reply|translation|decision|calculation|figure|number|way|idea|quote|breakdown|timeline)s?"
)

REQUESTS = Requests(
    lead=r"(?:so|now|then|next|finally|also|and|but|ok|okay|hi|hello|hey|first|lastly|instead)\b[,:]?\s+",
    preface=(
        r"(?:based on|according to|given|using|from|with|for|in|on|considering|taking|assuming|if|after|before|to|as)\b"
        r"[^.?!]*?,\s*"
    ),
    asked="|".join(
        (
            r"(?:please|kindly)\b|(?:can|could|would|will) you\b",
            rf"(?:(?:please|kindly|just)\s+)?(?:(?:{ORDERS})\b|(?:{PHRASES})\b|(?:{NOUNS})\s+{OBJECT}"
            r"|(?:list|name|pick|quote)\s+\d)",
            r"(?:i|we)\s*(?:"
            r"(?:(?:'d|’d| would)(?: really)? (?:like|love|appreciate|prefer|be grateful))"
            r"|(?: (?:really|just|also|only|still))? (?:want|need|wish|have) (?:you )?to (?:know|understand"
            r"|find|learn|see"
            r"|decide|determine|compare|work|figure|get|choose|calculate|check)"
            r"|(?: (?:really|just|also|only|still))? (?:want|need) (?:\w+ ){0,4}?" + THINGS + r"\b"
            r"| (?:wonder|was wondering)|(?:'m|’m| am|'re|’re| are) (?:wondering|looking for|interested in|curious"
            r"|trying to (?:find|figure|decide|understand|work)|not sure (?:which|whether|how|if|what))"
            r")|wondering\b|(?:my|our|the|your) (?:main |only |real )?(?:question|task|job|goal|request) (?:here )?is\b"
            r"|any (?:ideas?|advice|suggestions?|thoughts)\b|it would be (?:great|nice|good|helpful)",
        )
    ),
    openly=(
        r"(?:what|which|who|whom|whose|when|where|why|how)\b"
        r"|(?:is|are|was|were|do|does|did|can|could|should|shall|would|will|has|have|may|might)\s+(?:i|we"
        r"|you|he|she|it|they|there"
        r"|the|this|that|these|those|an?|any|my|our)\b"
    ),
    along=(
        r"(?:thanks?|thank you|many thanks|cheers|(?:kind |best |warm )?regards|best|sincerely|yours)\b.{0,40}$"
        r"|(?:it|they|the (?:answer|result|reply|text|list|plan))\s+(?:should|must|needs? to|may|has to)\b"
        r"|(?:no more than|at most|at least|in (?:one|two|three|\d+)|under|within|max(?:imum)?|only|not more)\b.{0,60}$"
    ),
)
