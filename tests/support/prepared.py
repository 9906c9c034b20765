"""What a server prepares before it answers, prepared by import: once, in the process that servers are forked off."""

from core.language import LANGUAGES

for language in LANGUAGES:
    language.prepare()
