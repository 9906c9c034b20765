"""The transport: one servicer per service; parse, call, render."""
