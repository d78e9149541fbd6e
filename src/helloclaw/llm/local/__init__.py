"""The embedded model: weights fetched once, llama.cpp in a child process, and the help a small model needs."""
