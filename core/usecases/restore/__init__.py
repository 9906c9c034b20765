"""After a store was set back: what had been erased and deleted since goes once more."""
