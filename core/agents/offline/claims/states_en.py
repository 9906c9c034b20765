"""States that exclude each other, told in many words: what works and what is broken, who loves it and who hates it.

Law: words only, no logic, nothing of one domain. What one line has on either side of the bar cannot hold of one thing
at one time. Words are looked up by their stems, those with an equals sign only as they stand.
"""

from core.text.words import words

# Behind the name of the scale: the words for one of its ends | those for the other. A star stands before what somebody
# is, has or does, of whom the sentence is about; the other scales are of things, whoever tells of them.
SCALES = """
working: work, function, operate, =runs, =running, =fine, fix, repair, mend, =up, online, respond, intact, in order,
 in service, as good as new, going again, reachable, usable, in working order, without trouble, without any trouble,
 nothing is wrong, replaced
 | broken, broke, out of order, out of service, out of action, =down, offline, defective, faulty, crash, crack, smash,
 damage, unusable, unreachable, fail, dead, =malfunctions
passing: pass, succeed, successful, =green, go through, went through, gone through, goes through
 | fail, flunk, =red, broken, unsuccessful
open: =open, unlock, accessible, passable, =reopened
 | =closed, =shut, =locked, block, inaccessible, impassable, closed down, shut down, bankrupt, out of business
resolved: =closed, resolve, fix, solve, =done, =gone | =open, unresolved, pending, unfixed, =there
valid: valid, =stands, in force, in effect | invalid, expire, void, lapse, run out, ran out, too late
allowed: allow, permit, =may, legal, welcome, =can | forbid, forbidden, prohibit, ban, illegal, must not, may not
available: available, in stock, obtainable, for rent, for sale, to let, can be rented, looking for a tenant
 | unavailable, sold out, out of stock, =taken, has been let, already rented, was let
full: full, pack, crowd, occupied | empty, vacant, unoccupied, deserted, half empty
hot: hot, warm, steaming, boiling | cold, cool, freezing, chilly, stone-cold, gone cold
noisy: noisy, loud, noise | quiet, silent, peaceful, silence, soundless
punctual: punctual, in time, on schedule, as planned, as scheduled, right on time
 | late, delay, behind schedule, slip, overdue, later than planned, later than scheduled
easy: easy, easily, simple, effortless, no trouble, without effort, easier
 | difficult, hard, tough, tricky, demanding, challenging, with difficulty
thriving: well, boom, thrive, flourish, good profits, a profit, beautifully, do great, doing well,
 doing great, excellent | badly, poorly, terrible, lose money, losing money, go bust, suffer, struggle, miserably, awful
alive: alive, thrive, live, flourish, grow | dead, die, died, dry up, dried up, passed away
genuine: genuine, real, authentic, original | fake, forgery, forge, counterfeit, imitation
correct: correct, right, true, accurate | incorrect, wrong, false, mistaken, inaccurate, untrue
safe: safe, harmless, benign, secure, harmlessly | dangerous, unsafe, hazardous, malignant, harmful, cancer, insecure
expensive: expensive, costly, pricey, dear | cheap, inexpensive, affordable
charged: charge, =paid, pay, cost, fee, price, to pay | free, free of charge, for free, cost nothing, costs nothing,
 pay nothing, for nothing, no charge, gratis, do not have to pay, get nothing, unpaid
settled: =repaid, paid off, pay off, nothing left to pay, paid back
 | still owe, still paying, owe, outstanding, unpaid, not paid off
held: take place, takes place, took place, taken place, =happened, =held, go ahead, went ahead, goes ahead, as planned
 | cancel, call off, fall through, fell through, off, abandon
approved: approve, accept, green light, pass, adopt, ratify, =unanimously
 | reject, turn down, turned down, refuse, veto, vote down, voted down, decline
awake: awake, wake up, woke up, up and about | asleep, =sleeping
rich: rich, wealthy, fortune, well-off, well off, affluent | poor, poverty, no money, penniless, broke, destitute
strong: strong | weak
fast: fast, quick, quickly | slow, slowly, sluggish
clean: clean | dirty, filthy
wet: wet, rain, rainy | dry, without rain, sun shone, sunshine
bright: bright, light | dark, dim
wide: wide, broad | narrow
frosty: freezing, frost, below zero, ice | mild, warm
legible: legible, readable, can read, easy to read | illegible, unreadable
required: mandatory, require, compulsory, obligatory, must, have to, need | optional, voluntary, without, need not
switched: turn on, switch on, enable, active, activate, turned on, switched on
 | turn off, switch off, disable, inactive, deactivate, turned off, switched off
connected: connect | disconnect, unconnected
encrypted: encrypt | unencrypted, plain text
signed: sign | unsigned
guilty: guilty, convict | not guilty, acquit, innocent
supported: support, compatible, works with, run on
 | incompatible, lack, drop support, stop supporting, stopped supporting, dropped, unsupported
unsaid: was sold, were sold, been sold |
delivered: arrive, deliver, here, come, came, complete
 | missing, still waiting, lost, waiting for, not yet, undelivered
rising: rise, rose, risen, increase, go up, went up, gone up, climb, raise, goes up, =grew
 | fall, fell, fallen, drop, decrease, go down, went down, gone down, decline, =cut, lower, sink, sank, goes down
insured: insure, cover, pay for, pays for | uninsured, refuse to pay, refuses to pay
steady: the same, unchanged, steady, =constant | rise, rose, risen, change, fall, fell, drop, increase, decrease
public: public, without authentication, unauthenticated | private, secret, confidential
complete: complete, whole | incomplete, unfinished, partial, missing
*liked: like, love, enjoy, adore, fond, favourite, favorite, crazy about, keen on, best,
 passionate, brilliant, enthusiastic, feel good, delicious, prefer
 | dislike, dislikes, hate, hates, detest, loathe, disgust, horrible, boring, bore, dull, avoid, nervous, refuse to eat,
 refuses to eat, will not touch, awful, can not bear, ca not bear, cannot bear, terrible
*married: marry, married, wife, husband, spouse | single, unmarried, bachelor, divorce, widow, never married
*paired: engage, engaged, a couple, together, going out, girlfriend, boyfriend
 | split up, broken off, broke off, separated, single, left
*employed: employ, have a job, has a job, in work | unemployed, out of work, jobless, lost his job,
 lost her job, laid off
*working_time: full time, full-time | part time, part-time, half time
*present: attend, came, come, was at, were at, =at
 | miss, absent, stayed away, stayed at home, stay away, skip
*healthy: healthy, well, recovered | ill, sick, unwell
*afraid: afraid, scare, fear, frighten, panic, terrify, anxious
 | fearless, does not mind, do not mind, unafraid, calmly, calm
*shy: shy, timid, reserved, withdrawn, hardly dares | outgoing, talkative, sociable, talks to anybody
friendly: friendly, kind, polite | unfriendly, rude, impolite
*experienced: experienced, plenty of experience, expert, for thirty years, veteran
 | inexperienced, beginner, novice, hardly any experience, newcomer
*smoking: smoke, smoker | non-smoker, nonsmoker, quit smoking
*meatless: vegetarian, vegan | meat, steak, pork, sausage, beef, chicken, bacon, ham, lamb
*alone: alone, by himself, by herself, on his own, on her own | with, flatmates, flatmate, shares, together
*tenure: own, bought, belongs to us, homeowner | rent, rented, tenant, tenants, lease
*early: morning person, early bird, up early, early riser | night owl, late riser, useless before noon
*talking: talk, speak, says words | mute, dumb, speechless
*allergic: allergic, allergy | tolerate, without any trouble, no allergies
*having: own, has a, have a, has an, have an, had a, there is a, there is an, got a, wears a, holds a
 | own no, owns no, sold, got rid of, gave away, parted with, part with, has no, have no, there is no, there are no,
 is without, lack,
 lose, lost, =gone, without a, no longer has, live without a
*belonging: member, belong, is in, are in, joined | =left, quit, resign, expelled
using: use, run on, runs on | without, stop using, stopped using, abandon
*promoted: promote, promotion | passed over, demoted
sweet: with sugar, sugar, sweeten | without sugar, unsweetened, sugar-free
"""

# Words of one sense, however they are put, where two sentences are laid side by side for their frame. The first stands
# for all.
SENSES = """
entry admission enter entrance
rehearse rehearsal practice practise
flat apartment
pupil student
photo photography picture pictures photos
doctor physician
mother mum mom
father dad
child kid kids children
bike bicycle
holiday vacation
shop store
house home
clinic surgery
medicine medication drug
member people person persons musician musicians player singer singers
machine node nodes machines
spectator audience guest guests spectators
phone mobile
screen display
licence license
screen display
notebook laptop
pavement sidewalk
lift elevator
lorry truck
petrol gasoline
film movie
rubbish garbage trash bins dustmen
annual yearly
"""

# Beside the matter: they say that something is there, found, had or so, and how much so.
LIGHT = words(
    """
    single get got gets getting go goes going went gone take takes took taken make makes made be being thing
    things way still now again already really quite very fully any anyone anybody more come comes came turn
    turned keep kept keeps find finds found found-out use used have has had today currently present moment
    whole good able possible sure ever yet everybody everyone somebody someone at-all all completely lot bit
    little including back day days time times year month week hour minute hours minutes weeks months years
    """
)
