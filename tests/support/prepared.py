"""What a server prepares before it answers, prepared by import: once, in the process that servers are forked off."""

from core.language import LANGUAGES
from service.adapters.local_embedder import LocalEmbedder

for language in LANGUAGES:
    language.prepare()

# It judges and reads by this model whatever its embedder is: a second of a processor where it first does.
LocalEmbedder.open().close()
