"""The person's own commands around a session's events: read, run, and their answers understood."""
