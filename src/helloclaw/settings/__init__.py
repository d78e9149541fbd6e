"""Settings: what they are, where each may come from, and which source wins. It knows nothing of what they steer."""
