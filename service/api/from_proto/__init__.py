"""From messages to commands: where every range is checked, once."""
