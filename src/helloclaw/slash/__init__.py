"""Slash commands, the same in the terminal and in the browser: what is typed, what comes of it, as values."""
