"""Commands that nobody would think of, judged and run."""
