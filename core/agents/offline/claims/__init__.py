"""What a sentence claims, and how two claims compare. English and Chinese, by words and their order.

From the words to an answer, each step knows only those before it:

- Words: `grammar_en`, `lexicon_en`, `lexicon_zh` (lists alone), `vocabulary` (the lists looked up by key), `measures`
  (units).
- Values: `clock` (times of day), `spelled` (values written in words), `mood` and `quantity` (of a whole sentence).
- Reading: `reading.read` takes a sentence apart by `english` (with `english_tokens`, `figures_en` and `openings`) or by
  `chinese` (with `chinese_forms`), on a `draft`; what comes out is a `statement` of terms.
- Laying side by side: `alignment` (terms that match), `comparison` (subject, event and time in common), `order` (the
  same words turned round).
- Rules: `denial` (never, not, only), `ending` (sold, moved, resigned), `replacement` (another value in the same slot).
  Each gives a `finding.Contradiction` or none.

Outside, `contradiction` asks all rules about two sentences, and `sameness` asks whether one says what another does.

Where a change goes: a word, a synonym or a pair of opposites is a line of a lexicon. A unit is a line of `measures`. A
notation of values (half past one, 两公斤半) belongs to `spelled` or `chinese_forms`. A verb that ends a state is a line
of `ending.ENDINGS`. Another kind of difference is a function in `replacement`, with its place in `replaced`, which says
what comes first. What makes two sentences incomparable (a mood, a label, another speaker) belongs to `contradiction`.
"""
