"""The conversation in a terminal: a front end of `protocol` with an input line, a live part, and what scrolls away."""
