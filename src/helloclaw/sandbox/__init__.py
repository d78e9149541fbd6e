"""Commands confined by the operating system: what it offers, and how a command is started under it."""
