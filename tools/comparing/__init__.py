"""How the comparer of sentences is made: its texts, what follows from them, and the training."""
