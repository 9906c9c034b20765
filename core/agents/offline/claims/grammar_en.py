"""The English words by which a sentence is read: closed classes, names of days and numbers, phrases that are one word.

Law: words only, no logic. What two sentences are compared by stands in `lexicon_en`.
"""

from core.text.words import words

FUNCTION = words(
    """
    a an the this that these those there here it its it's itself he him his himself she her hers herself
    they them their theirs themselves we us our ours you your yours i me my mine myself who whom whose
    which what where when why how is are was were be been being am has have had having do does did doing
    done will would shall should can could may might must of in on at by for from to with without into
    onto over under about above below between among during through across after before since until
    against within along around as than and or but nor so yet if then else while whereas although though
    because also too very quite just even still already ever once both either each every all any some
    such own other others another more most much many several few various numerous not no never neither
    none nobody nothing n't up down out off again further only exclusively solely instead rather
    together currently now today often frequently usually regularly sometimes always mainly primarily
    mostly especially particularly well one well-known however outside one's s t d ll re ve etc least
    """
)

NEGATORS = words(
    """
    not never no neither nor none cannot without nobody nothing hardly unable failed refused refuses
    declined avoiding avoids avoided stopped
    """
)

HEDGES = words(
    "may might could possibly perhaps maybe probably likely would seems appears roughly approximately"
)

EXCLUSIVE = words("only exclusively solely sole")

# Several words that are one: behind the colon, what is read for them.
_PHRASES = """
ceo: chief executive officer, chief executive
establish: set up
died: passed away
raised: grew up
hardcover: hard cover
hometown: home town
birthplace: place of birth
leads: in charge of
headquarters: head office
released: brought out
married: got married
participated: took part
participates: takes part
punctual: on time
happened: took place
happens: takes place
quit: gave up, give up, given up
quits: gives up
quitting: giving up
dislikes: ca not stand, can not stand, cannot stand
postponed: put off
lives: moved to, relocated to
below: no more than, not more than, no longer than, no later than, no higher than
least: no less than, not less than, no fewer than
is: is called, goes up to, went up to, gone up to, rises to, rose to, raised to
is: goes down to, went down to, fell to, dropped to
"""

PHRASES = {
    phrase: word
    for word, phrases in (line.split(": ") for line in _PHRASES.strip().splitlines())
    for phrase in phrases.split(", ")
}

# A state can hold of many subjects and come and go with time.
STATES = words(
    """
    is are was were am be has have lives live works work enjoys enjoy prefers prefer focuses focus likes
    like loves love speaks speak knows specializes specialize wants owns own studies plays play resides
    uses use holds hold needs supports contains
    """
)

# A number behind these names a thing and counts nothing.
LABELLED = words(
    """
    phase step stage chapter episode part section level room group team season volume task issue item signal
    node option figure table column type class unit gate line platform flight article appendix round batch lot slot row
    apartment building order ticket invoice case request record bug ref no descriptor argument
    """
)

TITLES = words(
    """
    mr mrs ms miss dr prof sir dame jr sr md phd dds ii iii esq lady lord saint professor doctor
    """
)

# At the start of a sentence these are no names, whatever follows.
NOT_NAMES = words(
    """
    little big small large great good new old young many most some few several both all every each such other
    early late recent current first last next final main key major minor public private local social common
    people things users members students children parents friends life love work nature music art memory
    """
)

MONTHS = words(
    """
    january february march april may june july august september october november december
    """
)

WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")

PAST = words(
    """
    won met wrote gave held led made took became began built bought sold spoke taught grew found left
    lost ran sang went got had did said came saw knew told kept thought put read paid sent spent set
    stood fell drew drove broke chose beat brought caught fought flew hid hit hung laid lent lost meant overcame
    rang rode rose sank sat shook shone shot slept slid swam swore threw tore understood withdrew wore
    """
)

ADVERBS = words(
    """
    also often recently currently once both first later never always still now just
    """
)

MODALS = words("will would can could shall should may might must cannot")

# Pronouns, in the forms that stand in front; the first of a line is what it is read as.
PERSONAL = """
i i'm i've i'd i'll
my
we our we're we've let's
you your you're you've
he his he's
she her she's
they their they're
it its it's that that's this these those
"""

AT_LEAST = words("over least above exceeding")

AT_MOST = words("under below most almost")

MULTIPLIERS = {"k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)

_MORE = "seventeen eighteen nineteen twenty"

_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"

NUMBERS = (
    {word: value for value, word in enumerate(f"{_UNITS} {_MORE}".split())}
    | {word: 30 + 10 * place for place, word in enumerate(_TENS.split())}
    | {"twice": 2, "dozen": 12}
)
