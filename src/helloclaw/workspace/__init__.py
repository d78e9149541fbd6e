"""The home workspace: Markdown files that say who the agent is and whom it works for. Knows nothing of the loop."""
