"""A whole user: exported, imported, purged, and what names a person covered everywhere."""
