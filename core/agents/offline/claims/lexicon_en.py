"""The English words by which claims are compared: plain words, looked up by their stems.

Law: words only, no logic, nothing of one domain.
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
    mostly especially particularly well one well-known however outside one's s t d ll re ve etc
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

# Saying any of the others denies the first of a line.
DENYING = """
enjoy dislike dislikes disliked hate hates detests aversion
support oppose opposes opposed opponent
have lacks lack resigned quit
accept rejects rejected
possible impossible
"""

# One group a line; the first stands for all.
SYNONYMS = """
found establish cofound launch set-up
ceo chief-executive
cfo
cto
coo
live reside dwell inhabit
base headquarter locate situate
speak fluent fluently
enjoy like love adore fond passionate
buy purchase acquire
movie film
bear born birth birthplace
die dead death decease
marry wife husband spouse wed
write author wrote written writer pen cowrite coauthor
job occupation profession
begin commence start
finish complete conclude
big large huge
car automobile vehicle
doctor physician
teach instruct
photo photograph picture
award prize honor medal
town city
near
close shut
chair chairman chairwoman chairperson
name call
second-hand used
decide decision
cost price
graduate degree
build construct
need require
use employ
leave quit
meet met
win won
grow grew grown
hold held
give gave given
run ran
lead led
advocate support
participate attend join alumnus alumni
speak spoke spoken
teach taught
buy bought
make made
sell sold
study studied
wage salary
allow permit
accept approve
event session
collaborate cooperate
delay postpone defer
specialize expertise specialty
"""

OWN_WORDS = {"found": "find", "wedding": "wedding", "weddings": "wedding"}  # not by their stems

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
quit: gave up
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

OPPOSITES = """
increase decrease
increase reduce
rise fall
rose fell
grow shrink
open closed
enable disable
allow forbid
allow prohibit
allow ban
accept reject
accept decline
approve reject
approve deny
succeed fail
success failure
win lose
won lost
marry single
marry unmarried
marry divorced
indoor outdoor
always never
same different
true false
profit loss
alive die
begin finish
begin end
nonprofit forprofit
public private
hot cold
early late
safe dangerous
legal illegal
possible impossible
available unavailable
compatible incompatible
reliable unreliable
healthy ill
rich poor
expensive cheap
fast slow
male female
present absent
arrive leave
mandatory optional
require optional
free paid
online offline
full empty
synchronous asynchronous
encrypted unencrypted
vegetarian carnivore
introvert extrovert
remain resign
hire fire
strong weak
easy difficult
easy hard
include exclude
pass fail
quiet noisy
broken repair
broken fix
punctual late
well badly
locked open
cancel happen
north south
east west
left right
upper lower
maximum minimum
import export
"""

# Kinds and some of what falls under them: who denies the kind denies these. The kind comes first.
KINDS = """
outdoor hiking camping climbing cycling trail mountain park birdwatching fishing kayaking gardening skiing nature
outdoor rafting surfing backpacking garden
indoor chess painting reading knitting baking
language english spanish french german chinese japanese italian portuguese russian arabic mandarin korean hindi
sport football soccer basketball tennis swimming running marathon cycling volleyball golf rugby hockey
sport baseball triathlon
instrument piano violin guitar cello flute drum trumpet saxophone harp clarinet
music piano violin guitar cello jazz orchestra choir concert singer song symphony conductor composer
art painting sculpture photography drawing pottery illustration
university college degree master bachelor phd graduate doctorate
award prize medal trophy honor recognition
recognition award prize medal honor
animal dog cat bird horse rabbit fish
pet dog cat bird hamster rabbit
child son daughter
sibling brother sister
event workshop clinic conference concert festival fundraiser session seminar run marathon
training workshop clinic session
meat beef pork chicken steak lamb
"""

# Of these a subject has one (at a time): a differing value is a contradiction even in a short sentence.
SINGLE = words(
    """
    ceo cto cfo president director manager chair mayor captain leader boss head owner
    capital birthday birthplace born base headquarter headquarters graduate marry name age height weight
    population budget deadline price cost revenue salary specialize founder founded first favorite
    favourite best largest smallest tallest oldest youngest title live currency version default port
    password address color colour degree major nationality religion blood mother father spouse inventor
    invent discover capacity limit speed temperature distance length duration schedule database host venue
    located location rent fee deposit dose expire win winner weigh measure debut premiere
    """
)

# Of these a subject may have several, so another value alone says nothing.
SEVERAL = words(
    """
    enjoy like write publish volunteer travel visit give receive speak attend play read eat interest
    hobby friend member advocate support study watch perform lecture talk participate contribute include
    use offer provide have own work explore local renowned popular accomplished avid successful
    professional prestigious special activity new good great spend time issue thing field area cause matter
    team people person individual group know collaborate win appear feature cite mention involve share
    develop sell buy see say think want need make go take get check find store load update return create
    compare agent
    """
)

# A pair has these once together, however it is told.
ONCE_TOGETHER = words("meet marry cofound founded")

# With a name as the value, and nothing else that differs, these too allow one.
ONE_NAMED = words("work employ study drive belong report")

# What is said with these goes both ways, so the order of the names says nothing.
MUTUAL = words(
    """
    meet marry friend sibling brother sister twin partner collaborate cooperate together both same share
    colleague classmate roommate neighbor neighbour between equal near border tie merge date cousin and
    with
    """
)

# What many do alike, so that another who did it is no contradiction.
OPEN_TO_ALL = words(
    """
    attend participate graduate study enrol enroll born die live move travel visit arrive volunteer work
    retire join watch eat buy rent
    """
)

# Of one thing at one time there is one who does it.
ONE_DOER = words("win host invent discover founded direct lead chair conduct captain")

# What a person is by trade; who is one is taken not to be another.
TRADES = words(
    """
    accountant actor actress architect artist astronaut astronomer astrophysicist baker banker barista
    barrister biologist botanist butcher carpenter cellist chef chemist choreographer coach composer
    conductor consultant cook dancer dentist designer detective developer dietitian diplomat doctor
    economist editor electrician engineer entrepreneur farmer filmmaker firefighter florist geologist
    historian illustrator investor janitor journalist judge lawyer lecturer librarian linguist marketer
    mathematician mechanic musician neurologist neuroscientist novelist nurse nutritionist painter
    paramedic pharmacist philosopher photographer physicist pianist pilot plumber poet politician potter
    programmer psychiatrist psychologist sailor salesperson scientist sculptor secretary singer soldier
    sommelier statistician surgeon surveyor tailor teacher therapist translator veterinarian violinist
    waiter welder zoologist
    """
)

# Not by trade.
AMATEURS = words("avid amateur keen hobby hobbyist passionate former retired aspiring part-time")

INSTITUTION = words("university college institute school academy polytechnic mit")

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
    stood fell drew drove broke chose
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
