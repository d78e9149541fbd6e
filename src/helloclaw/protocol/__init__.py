"""The typed contract between the core and every front end: events out, commands in. It says nothing of how."""
