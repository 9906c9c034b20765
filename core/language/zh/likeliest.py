"""The likeliest course of hidden states behind a run of symbols: Viterbi's algorithm, over arrays.

Law: pure, and exact: the course that the algorithm finds state by state, with the same sums taken in the same
order; of ways that are equally likely the greater state's wins.
"""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

State = tuple[str, str]
Numbers = NDArray[np.intp]
Chances = NDArray[np.float64]

NEVER = -3.14e100  # the logarithm of a chance that a model says nothing of


class Model:
    """A hidden Markov model in logarithms.

    `possible` are the states that may show a symbol (any may show one that is not there), `first` the chances
    that a run begins in a state, `moves` those of going on from one state to another, and `shows` those of a
    state to show a symbol. `first`, `moves` and `shows` name all states.
    """

    def __init__(
        self,
        possible: Mapping[str, Collection[State]],
        first: Mapping[State, float],
        moves: Mapping[State, Mapping[State, float]],
        shows: Mapping[State, Mapping[str, float]],
    ) -> None:
        self._states = sorted(moves, reverse=True)  # of equals, argmax takes what comes first
        self._numbers = {state: number for number, state in enumerate(self._states)}
        self._possible, self._shows = possible, shows
        self._first = np.array([first[state] for state in self._states])
        self._moves = np.full((len(moves), len(moves)), -np.inf)
        for state, others in moves.items():
            for other, chance in others.items():
                self._moves[self._numbers[state], self._numbers[other]] = chance
        self._known: dict[str, tuple[Numbers, Chances]] = {}

    def course(self, symbols: str) -> list[State]:
        """Returns the likeliest state behind each symbol."""
        if not symbols:
            return []
        states, chances = self._behind(symbols[0])
        likeliness = self._first[states] + chances
        came: list[
            tuple[Numbers, Numbers]
        ] = []  # the states before, and the place among them of each one's best
        for symbol in symbols[1:]:
            before = states
            states, ways, likeliness = self._onward(before, likeliness, symbol)
            came.append((before, ways.argmax(axis=0)))
        place = int(likeliness.argmax())
        course = [self._states[states[place]]]
        for before, best in reversed(came):
            place = int(best[place])
            course.append(self._states[before[place]])
        return course[::-1]

    def _onward(self, before: Numbers, likeliness: Chances, symbol: str) -> tuple[Numbers, Chances, Chances]:
        """Returns the states that can come next, how likely each is by each way from those before, and at best."""
        states, chances = self._behind(symbol)
        ways = likeliness[:, None] + self._moves[before[:, None], states] + chances
        best = ways.max(axis=0)
        can = best > -np.inf
        if can.all():
            return states, ways, best
        if can.any():
            return states[can], ways[:, can], best[can]
        return self._elsewhere(before, likeliness, symbol)

    def _elsewhere(
        self, before: Numbers, likeliness: Chances, symbol: str
    ) -> tuple[Numbers, Chances, Chances]:
        """Returns the same where none that may show the symbol can follow: whatever can come next, else whatever
        there is."""
        moves = self._moves[before]
        states = np.flatnonzero((moves > -np.inf).any(axis=0))
        if not len(states):
            states, moves = np.arange(len(self._states)), np.full_like(moves, NEVER)
        ways = likeliness[:, None] + moves[:, states] + self._chances(states, symbol)
        return states, ways, ways.max(axis=0)

    def _behind(self, symbol: str) -> tuple[Numbers, Chances]:
        """Returns the states that may show a symbol, and the chances that they do."""
        known = self._known.get(symbol)
        if known is not None:
            return known
        listed = self._possible.get(symbol)
        if listed is None:  # of these there are many, and they are met hardly ever
            states = np.arange(len(self._states))
            return states, self._chances(states, symbol)
        states = np.array(sorted(self._numbers[state] for state in listed))
        self._known[symbol] = states, self._chances(states, symbol)
        return self._known[symbol]

    def _chances(self, states: Numbers, symbol: str) -> Chances:
        return np.array([self._shows[self._states[number]].get(symbol, NEVER) for number in states])
