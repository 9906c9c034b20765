"""Stand-ins and scenes that many tests share. Nothing here is shipped."""
