"""The task board of a directory, shared by all agents and processes that work there."""
