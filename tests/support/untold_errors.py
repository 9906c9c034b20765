"""Errors of core that no caller is told."""

from core import errors

UNTOLD: frozenset[type[errors.MemoryBankError]] = frozenset(
    {
        errors.AggregateNotFound,  # each kind of memory has its own
        errors.AggregateExists,
        errors.InstructionsNotFound,  # use cases catch these
        errors.InstructionsExist,
        errors.RunNotFound,
        errors.RunExists,
        errors.UserExists,
        errors.RequirementFailed,  # told as MemoryOff
        errors.RevisionTaken,  # the holder founds again, above it
    }
)
