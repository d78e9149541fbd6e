"""Skills: folders with a SKILL.md that tell the model how to do something. Knows nothing of the loop."""
