"""What is kept about the person and their work: notes in Markdown, how they are found again. Knows nothing of the loop."""
