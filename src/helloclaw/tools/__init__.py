"""What a model can call: one family a file, its prose in a Markdown file beside it. Tools know nothing of the loop."""
