"""The command line: one front end of `protocol`. It parses, prints and asks; everything else is done below it."""
