"""What can be done with a conversation: one verb a file."""
