"""The aggregate: one bank in memory, its indexes, and the only way it changes (`Bank.apply`)."""
