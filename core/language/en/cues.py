"""Words by which rules read an English sentence."""

from core.language.cues import Cues
from core.language.en.orders import ORDER, ORDER_BOUND

CUES = Cues(
    order=ORDER,
    order_bound=ORDER_BOUND,
    time_words=(
        r"\b(?:(?:(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?"
        "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)|in may|(?:mon|tues|wednes|thurs|fri"
        r"|satur|sun)days?|yesterday|today|tonight|tomorrow|weekend|noon|midnight|since)\b|(?:last|next"
        "|this|past) (?:week|month|year|night|spring|summer|autumn|fall|winter|few (?:days|weeks"
        r"|months)))|(?<=\w) (?:minutes?|hours?|days?|weeks?|months?|years?) ago\b"
    ),
    time_figures=(
        r"\b(?:1[89]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:am|pm|o'clock)\b|\b\d{1,2}(?:st|nd|rd"
        r"|th)\b|\bmay \d|\d may\b"
    ),
    day_words=(
        r"\b(?:yesterday|today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|\b(?:last"
        "|next|this|past|coming) (?:week|month|year|night|morning|afternoon|evening|weekend|quarter"
        r"|spring|summer|autumn|fall|winter|few (?:days|weeks|months))\b|\b(?:minutes?|hours?|days?"
        r"|weeks?|months?|years?) ago\b|\bin (?:an?|\d+|two|three|a few) (?:minute|hour|day|week|month"
        r"|year)s?\b"
    ),
    asks_when=(
        r"\bwhen\b(?!ever)|\b(?:what|which) (?:day|date|month|year|week|time|weekday)\b|\bon (?:what"
        r"|which) (?:day|date)|\bhow long ago\b"
    ),
    asks_now=(
        r"\b(?:now|nowadays|today|currently|current|these days|at present|at the moment"
        r"|as things stand)\b"
    ),
    decided=(
        r"\b(?:decid\w+|decision|agreed?|settled|going with|go(?:es)? with|will be|we(?:'ll| will)"
        "|i(?:'ll| will)|chose|chosen|confirmed|must(?: not)?|let'?s|set the|signed up|hired?|booked"
        r"|ordered)\b"
    ),
    changed=(
        r"\b(?:chang\w+|correction|instead|moved?|mov(?:es|ing)|no longer|not any ?more|cancel\w*"
        r"|postpon\w*|delay\w*|reschedul\w*|rebook\w*|push(?:es|ed)? back|slip(?:s|ped)? (?:by|to)"
        r"|brought forward|rather than|switch\w*|replac\w+|drop(?:ped)?|actually|turned out"
        r"|new (?:date|time|place|address|price|plan))\b"
    ),
    came_of_it=(
        r"\b(?:results?|passed|failed|won|lost|finish\w*|completed?|done|signed|accepted|rejected"
        "|approved|refunded|arrived|paid|sold|found out|measured|test(?:ed|s)? (?:showed?|says?)|quoted?"
        r"|diagnos\w+|came (?:out|to|back)|gained)\b"
    ),
    acknowledged=(
        "(?:ok(?:ay)?|noted|understood|agreed|got it|i see|will do|sure(?: thing)?|al(?:l )?right|right"
        "|yes|yeah|yep|fine|great|good|nice|cool|perfect|wow|(?:sounds|that's) (?:good|great|fine)"
        "|good to know|(?:many )?thanks(?: (?:a lot|so much))?|thank you(?: (?:so|very) much)?|thx"
        r"|no (?:problem|worries)|of course|(?:you're|you are) welcome)\b"
    ),
    refers=(
        r"\b(?:he|she|they|him|hers?|them|his|theirs?|its?)\b(?! (?:is|was|'s) (?:raining|snowing|late|time|cold"
        r"|hot|important|possible|true|easy|hard|hard to)\b)|^\W*(?:this|that|these|those|both|the same)\b"
    ),
    named=(
        r"\b(?:my|our|your|the|an?|this|these|every|each|some|no|two|three|four)\s+\w"
        r"|\b(?-i:[A-Z][a-z]+)\b"
    ),
    verdict_wrong=(
        r"\b(?:wrong|false|incorrect|inaccurate|untrue|mistaken|erroneous|outdated|obsolete|refuted"
        r"|superseded|invalid)\b|\bneither\b[^.;]{0,40}\b(?:is|was|are|were)\s+(?:right|true|correct"
        r"|accurate)\b|\bno longer (?:true|valid|holds|applies)\b"
    ),
    verdict_denied=r"\b(?:neither|none|nothing|not|never|isn't|aren't|wasn't|weren't)\b[^.;,:]{0,24}$",
    verdict_apart=(
        r"\b(?:no|without(?: any)?)\s+(?:(?:real|actual|true|genuine)\s+)?(?:contradictions?|conflicts?"
        r"|inconsistency|discrepancy)\b|\b(?:not|isn't|aren't|don't|doesn't|didn't|cannot|can't"
        r"|never)\s+(?:(?:really|actually|necessarily|in fact|at all)\s+)?(?:(?:a|in)\s+)?(?:(?:real"
        r"|actual|true|genuine)\s+)?(?:contradict\w*|conflict(?:s|ing)?\b|inconsistent|incompatible"
        r"|mutually exclusive|exclude (?:each|one))|\bboth\b[^.;:,]{0,40}?\b(?:are|is|were|be"
        r"|remain)\s+(?:(?:in fact|still|equally|indeed|also)\s+)?(?:true|right|correct|valid|accurate)\b"
        r"|\bboth\s+(?:\w+\s+){0,2}(?:hold|stand|apply)\b|\bkeep\b[^.;]{0,30}\b(?:apart|separate|both"
        r"|side by side)\b|\bfalse alarm\b|\b(?:compatible|consistent) with (?:each other|one another)\b"
    ),
    entity=(
        "(?:firm|company|vendor|supplier|option|offer|model|site|plan|team|candidate|bidder|bid|variant"
        r"|product|provider|quote|contractor|proposal|scenario|method|city|school|hospital|bank)s?\s+\S+$"
        r"|.*\b(?:ltd|inc|gmbh|ag|ab|as|oy|corp|corporation|co|llc|plc|sa|bv|group|systems|technologies"
        r"|solutions|energy|power|electric|industries)\.?$"
    ),
    property=(
        r"(?:unit |total |net |gross |annual )?(?:price|cost|total|sum|fee|rate|budget|deliver\w*"
        r"|lead time|shipping|warranty|guarantee|payment|terms?|valid\w*|date|time|deadline|address|phone"
        r"|tel|telephone|fax|mobile|e-?mail|web\w*|url|link|contact|note|remark|power|capacity|yield"
        "|output|weight|size|height|length|width|noise|quantity|status|source|title|subject|location"
        r"|present|attend\w*|participant|apolog\w*|chair|minute|agenda|cc|advantage|disadvantage|pro|con|risk|strength|weakness|summary|conclusion|result|(?:model|type"
        r"|product|offer)$)(?:e?s)?\b"
    ),
    any_heading=(
        "(?:overview|introduction|notes?|details?|misc(?:ellaneous)?|general|summary|background|others?|more|info(?:rmation)?"
        "|description|contents?|appendix|remarks?|readme|about|conclusions?|results?|data|text)"
    ),
    reflects=(
        r"\b(?:lessons?|learn(?:ed|t)?|look(?:ing)? back|sum(?:med)? up|summari[sz]e|reflect(?:ion|ing)?"
        r"|in hindsight|retrospective|went wrong|mistakes?|patterns?|experiences? with)\b"
    ),
    decides=(
        r"\b(?:should|shall|choose|choosing|decide|deciding|pick|recommend|suggest|better to|best way"
        r"|how (?:do|can|to)|which (?:one|of)|what to do|worth|advice|instead of)\b"
    ),
    date=(
        r"\b(?:1[5-9]|20)\d\d\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d"
        r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:yesterday|last (?:week|month|year"
        r"|night))\b"
    ),
    offered=(
        r"[$€£¥]\s?\d|\d\s*(?:SEK|NOK|DKK|EUR|USD|GBP|CHF|CNY|RMB|JPY|kr\b|euros?\b|dollars?\b|pounds?\b)"
        r"|\b(?:prices?|priced|costs?|fees?|quot(?:es?|ed)|deliver(?:y|ed|s)|lead times?"
        r"|warrant(?:y|ies)|guarantees?d?|valid until)\b"
    ),
    contact=(
        r"https?://|\bwww\.|\S@[^\s@]+\.\w|\b(?:tel|phone|telephone|fax|mobile|e-?mail|address"
        r"|p\.? ?o\.? box|zip|postcode)\b|\b(?:street|avenue|boulevard|road)\b.{0,20}\d"
        r"|\d.{0,20}\b(?:street|avenue|boulevard|road)\b|\+\d{1,3}[ -]?\d"
    ),
    domains={
        "preference": r"\b(?:prefer(?:s|red|ence|ences)?|favou?rites?|likes?|dislikes?|hates?|loves?|fond of|taste)\b",
        "emotion": (
            r"\b(?:feel(?:s|ing|ings)?|felt|mood|worried|anxious|happy|sad|angry|upset|afraid|stress(?:ed)?"
            r"|nervous|proud)\b"
        ),
        "strategy": (
            r"\b(?:strateg(?:y|ies)|approach(?:es)?|fix(?:ed|es)?|error|errors|retry|retries|recover(?:y|ed)?"
            r"|workarounds?|troubleshoot(?:ing)?|timeouts?)\b"
        ),
        "work": (
            r"\b(?:work(?:s|ing)?|project|projects|deadline|client|clients|meeting|team|colleagues?|boss"
            r"|manager|release|deploy(?:ment)?|code|repository|database|office|company|job)\b"
        ),
        "life": (
            r"\b(?:family|wife|husband|daughter|son|mother|father|sister|brother|birthday|home|house|pet|dog"
            r"|cat|doctor|allerg(?:y|ic|ies)|holiday|vacation|school|live|lives|born)\b"
        ),
    },
    domain_questions={
        "work": (
            "When is the project due?",
            "Who leads the team at the office?",
            "Which database does the service use?",
            "What did the client ask for?",
            "When is the next release?",
        ),
        "life": (
            "Where does the family live?",
            "When is her birthday?",
            "What is the name of the dog?",
            "Where did we go on holiday?",
            "Which school do the children go to?",
        ),
        "preference": (
            "What does the user like to eat?",
            "Which style of answer is wanted?",
            "What is the favourite colour?",
            "Tea or coffee?",
            "Which editor does the user like best?",
        ),
        "emotion": (
            "How did the user feel about it?",
            "Why was she upset?",
            "What made him proud?",
            "What is the user afraid of?",
            "Is she stressed at the moment?",
        ),
        "strategy": (
            "How was the failing tool call fixed?",
            "Which approach worked last time?",
            "What helps against timeouts?",
            "How do we recover from this error?",
            "What should be tried first when the search fails?",
        ),
    },
)
