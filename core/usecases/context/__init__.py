"""One prompt from all kinds of memory."""
