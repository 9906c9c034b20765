"""Signs that end a sentence in a script that has no rules of its own here.

Law: data alone, by Unicode's property Sentence_Terminal. Where such a sign stands, a sentence ends.
"""

OTHERS = (
    # Armenian, Arabic, Urdu, Syriac, N'Ko, Samaritan, danda
    "\u0589\u061d\u061e\u061f\u06d4\u0700\u0701\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965"
    # Burmese, Ethiopic, Canadian syllabics, Philippine scripts, Khmer, Mongolian, Limbu
    "\u104a\u104b\u1362\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945"
    # Tai Tham, Balinese, Lepcha, Ol Chiki, Lisu, Vai, Phags-pa, Saurashtra, Cham, Meetei
    "\u1aa8\u1aa9\u1aaa\u1aab\u1b5a\u1b5b\u1c3b\u1c3c\u1c7e\u1c7f\ua4ff\ua60e\ua60f\ua876\ua877"
    "\ua8ce\ua8cf\uaa5d\uaa5e\uaa5f\uabeb"
)
