"""Messages of every vendor, each with a part of one kind, and what is read of them: (role, speaker, text) each.

A form's name begins with the vendor's. The dicts are as the vendors' APIs give and take them.
"""

from tests.clients.python.message_forms import anthropic, openai_chat, openai_responses, others

FORMS = {**openai_chat.FORMS, **openai_responses.FORMS, **anthropic.FORMS, **others.FORMS}
