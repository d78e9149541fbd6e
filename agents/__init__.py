"""The commands of a checkout: `python -m agents` is the program, `python -m agents.webui` its browser front end."""
