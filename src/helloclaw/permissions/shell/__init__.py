"""What a shell command does: its structure, what is denied in any spelling, and proof that the rest only reads."""
