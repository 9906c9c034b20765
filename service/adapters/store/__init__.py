"""SQL: migrations and named queries as .sql files, and how values become rows."""
