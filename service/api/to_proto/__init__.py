"""From results to messages. Nodes and segments are encoded once, and joined into answers."""
