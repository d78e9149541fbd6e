"""What a shell command does: its structure, what in it is denied in any spelling, and proof that the rest only reads."""
