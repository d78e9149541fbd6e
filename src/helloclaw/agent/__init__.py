"""The turn loop: dispatch, history, repair, compaction, prompt, session runtime. It knows no screens and no HTTP."""
