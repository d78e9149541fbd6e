"""Talk to language models: messages, streams, wires, provider profiles, retries, the embedded model.

A library of its own: messages in, a stream of typed events out. It knows nothing of how tools work, of sessions or
screens.
"""
