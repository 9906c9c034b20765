"""What goes wrong, as callers see it: the transport's own errors, and the table of code, reason and words."""
