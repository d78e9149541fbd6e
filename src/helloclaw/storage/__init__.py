"""Paths, atomic files, append-only journals, OS locks. It does not know what is stored."""
