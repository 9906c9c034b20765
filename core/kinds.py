"""Every kind of aggregate there is: what stores and holders are given."""

from core.aggregate.kind import Kinds
from core.bank.kind import BANK
from core.conversation.invocation import INVOCATION
from core.conversation.kind import CONVERSATION
from core.instructions.kind import INSTRUCTIONS, RUN
from core.long_term.kind import COLLECTION
from core.user.user import USER

KINDS: Kinds = {
    kind.name: kind for kind in (BANK, USER, CONVERSATION, INVOCATION, INSTRUCTIONS, RUN, COLLECTION)
}
