"""Decide what may run: (call, mode, rules, scope) → allow, ask or deny, with the reason. Pure; knows no screens."""
