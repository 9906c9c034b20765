"""Values of which a thing has one, and the words by which they are told.

Law: words only, no logic, nothing of one domain.
"""

# How a measure is told, behind its dimension and its name: words of one line tell the same of a thing.
MEASURES = """
mass/volume/memory/count: capacity hold holds capacity seat seats seated space room fit fits accommodate carry carries
 payload load loaded limit limited maximum audience take takes people person guest guests spectator spectators sit
 size upload uploaded uploads
length: length long length measure measures
length: width wide width broad
length: depth deep depth down
length: height tall high height
length: thickness thick thickness
mass: weight weigh weighs weight heavy
mass/volume/length: amount need needs take takes use uses require requires
money: price cost costs price charge charged charges pay pays paid fee bill invoice come came amount total
time: duration last lasts lasted take takes took need needs go goes long duration drive journey
time: age old age
count: number count counted consist consists contain contains number total list listed have
count: population population inhabitant inhabitants people live lives
count: membership member members people musician musicians player players singer singers singing play
 sing person persons
degree: temperature set stand stands temperature degrees turned
"""

# What happens once, or at one time: words of one line tell the same of a thing.
EVENTS = """
founding found founded founding start started establish established exist existed exists set
birth born birth birthday celebrate celebrates
completion finish finished complete completed construction ended built done
ending end ends expire expires valid run out due deadline until
opening open opens reopen reopens
meeting met meet meets know known
wedding marry married marries wedding
death die died death
holding held hold holds take takes place happen happens begin begins start starts meet meets rehearse come comes
leaving leave leaves depart departs departure fly flies flying flight
"""

# Of a family a thing is one member. Behind the bar: what is said with any of them.
FAMILIES = """
colour: red green blue brown black white grey gray yellow orange pink purple beige turquoise
 | colour color paint one
material: oak pine beech wood wooden glass steel iron plastic stone brick marble concrete leather cotton wool silk
 | wood made material consist
fuel: electric electricity petrol diesel gas oil coal solar hydrogen pellets | run drive heat heating run power
seat: window aisle | seat sit
subject: law physics medicine chemistry biology mathematics history economics philosophy literature geography
 psychology engineering linguistics astronomy architecture
 | study student read university enrol switch subject degree
season: spring summer autumn winter | take place hold
trade: | work trade job
tongue: english french german spanish italian portuguese dutch russian chinese japanese arabic swedish polish turkish
 | teach give language lecture default set text everything show written write
ordinal: first second third fourth fifth sixth seventh eighth ninth tenth | live flat apartment
"""

# Who holds an office, of which there is one: words of one line tell the same office.
OFFICES = """
conductor conductor conduct conducts conducted
captain captain captains captained
head head headmaster headmistress principal runs led
author author wrote write written writes
boss boss manager report reports
builder builder built builds
owner owner owns own owned belongs belong property
coach coach coaches coached trainer trains trained
chair chair chairs chaired chairman chairwoman
leader lead leads led leader
goalkeeper goalkeeper keeper goal keep keeps
director director directs directed
editor editor edits edited
mayor mayor
treasurer treasurer
founder founder founded
officer ceo cfo cto coo
"""

# Where one has something of which one has one.
PLACES = """
birth born birthplace native
residence live lives home settled moved
upbringing raised childhood upbringing spent spend whole
seat headquarters seat based located office
"""

# Of what there is one who does it.
PAYING = """
paying pay pays paid bear bears borne cover covers
writing wrote written writes author
building built builds build
causing caused cause causes started start
leading led leads
"""

LIKING = """
liking favourite favorite like likes love loves enjoy enjoys best most mean means beat beats nothing prefer more all
"""

# Acts that somebody may never do, by the forms of their verbs.
ACTS = """
eating: eat eats ate eaten eating has have had having tried try tasted touch touches touched
drinking: drink drinks drank drunk drinking has have had having touch touches touched
going: been visit visits visited was were went go goes gone flew travelled traveled stayed lived spent
breaking: break breaks broke broken
winning: win wins won lifted
seeing: see sees saw seen watch watches watched
reading: read reads
playing: play plays played playing
meeting: meet meets met
using: use uses used using
smoking: smoke smokes smoked smoking
swimming: swim swims swam swum swimming
hacking: hack hacks hacked
"""
