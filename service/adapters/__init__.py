"""One outside thing per module, each behind a port of `core.ports`. Nothing here knows another adapter."""
