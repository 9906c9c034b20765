"""What can be done with a conversation, a verb a file."""
