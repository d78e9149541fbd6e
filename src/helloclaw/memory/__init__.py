"""Notes about the person and their work, in Markdown, and how they are found again. Knows nothing of the loop."""
