"""Prompts that are due at their times: expressions, jobs, the store that fires each occurrence once."""
