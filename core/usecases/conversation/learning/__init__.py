"""What conversations and runs leave in long-term memory, and what goes with deleted turns."""
