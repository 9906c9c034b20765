"""The English words by which claims are compared: plain words, looked up by their stems.

Law: words only, no logic, nothing of one domain. What a sentence is read by stands in `grammar_en`.
"""

from core.text.words import words

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
meat beef pork chicken steak lamb sausage ham bacon veal
alcohol wine beer whisky gin vodka rum champagne cider cocktail brandy
fish salmon trout tuna cod herring
fruit apple pear banana orange grape peach plum
germany berlin hamburg munich cologne frankfurt
france paris lyon marseille bordeaux
italy rome milan naples venice florence turin
spain madrid barcelona seville valencia
england london manchester liverpool leeds oxford cambridge
japan tokyo kyoto osaka hiroshima
china beijing shanghai guangzhou shenzhen
america chicago boston seattle california texas florida
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
