"""Find out what works here, what doesn't, and what to do about it. Nothing is repaired, and nothing is left behind."""
