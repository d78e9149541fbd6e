"""The decision: (call, mode, rules, scope) → verdict. One pure function; its five steps come in a fixed order.

1 shell safety · 2 deny rules · 3 mode · 4 allow rules · 5 ask. No step is skipped, and no later one undoes an earlier
denial. Whoever changes a call's input has to ask anew.
"""

from __future__ import annotations

from helloclaw.permissions.decide_shell import decide_shell
from helloclaw.permissions.decide_tool import decide_tool
from helloclaw.permissions.files import OS_FILES, Files, SeenFiles
from helloclaw.permissions.reasons import Why
from helloclaw.permissions.rule_syntax import FAMILIES, RuleSet
from helloclaw.permissions.verdict import Behaviour, Call, Scope, Verdict
from helloclaw.protocol.events import Mode


def decide(call: Call, mode: Mode, rules: RuleSet, scope: Scope, files: Files = OS_FILES) -> Verdict:
    """May the call run, must a person be asked, or must it not run? Never raises for any input of the model's.

    `files` is only looked at: where paths end, what patterns match, what a repository's settings name.
    """
    if call.command is not None:
        return decide_shell(call.command, call, mode, rules, scope, SeenFiles(files))
    if call.tool in FAMILIES["Bash"]:
        why = Why("no_command")
        return Verdict(behaviour=Behaviour.ASK, reason=str(why), step=1, why=why)
    return decide_tool(call, mode, rules, scope, files)
