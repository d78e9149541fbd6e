"""Why a verdict is what it is: an id and what it is about, spoken in English (for the model) or Chinese. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from msgspec import Struct

Lang = Literal["en", "zh"]


class Why(Struct, frozen=True):
    """A reason. `what` is the thing it is about, as the person would recognise it: a path, a program, a rule."""

    id: str
    what: str = ""

    def say(self, lang: Lang = "en") -> str:
        english, chinese = TEXTS[self.id]
        return (chinese if lang == "zh" else english).replace("{}", self.what)

    def __str__(self) -> str:
        return self.say()


TEXTS = MappingProxyType(
    {
        # It may run.
        "reads": ("it only reads", "只读"),
        "free": ("{} is always free", "{} 无需批准"),
        "free_read": ("reading inside the workspace is free", "在工作区内读取无需批准"),
        "known_url": ("the address was given to it", "该地址来自已有内容"),
        "allow_rule": ("allowed by the rule {}", "规则 {} 允许"),
        "sandboxed": ("it runs in the sandbox, within the working directory", "在沙箱内、工作目录中运行"),
        # It must not run.
        "raises_privileges": ("{} runs commands as another user", "{} 会以其他用户身份执行命令"),
        "removes_trees": ("{} removes directories with all they hold", "{} 会递归删除目录"),
        "makes_filesystem": ("{} wipes a file system", "{} 会清除文件系统"),
        "writes_device": ("it writes to the device {}", "会写入设备 {}"),
        "fork_bomb": ("it starts copies of itself without end", "会无限复制自身进程"),
        "stops_system": ("{} stops or restarts the machine", "{} 会关闭或重启机器"),
        "opens_root": ("it changes permissions or owners of the whole system ({})", "会更改整个系统的权限或属主（{}）"),
        "writes_controls": ("{} is one of the agent's own controls", "{} 属于智能体自身的控制文件"),
        "loosens_agent": ("{} would start an agent that asks nobody", "{} 会启动一个无人批准的智能体"),
        "deny_rule": ("denied by the rule {}", "规则 {} 拒绝"),
        "too_long_to_run": ("it is longer than the system can run ({} bytes)", "超出系统可执行的长度（{} 字节）"),
        "too_much": ("it holds more than can be looked through", "内容过多，无法逐一检查"),
        "plan_writes": ("plan mode: {} may change something", "计划模式：{} 可能会做出更改"),
        "plan_agents": ("plan mode: {} starts or steers another agent", "计划模式：{} 会启动或指挥其他智能体"),
        "plan_unproven": ("plan mode runs only what is proven to read: {}", "计划模式只运行确证只读的命令：{}"),
        # A person has to be asked.
        "no_command": ("the call names no command", "调用没有给出命令"),
        "ask_rule": ("the rule {} says to ask", "规则 {} 要求询问"),
        "needs_approval": ("{} needs your approval", "{} 需要你的批准"),
        "writes_file": ("it writes {}", "会写入 {}"),
        "outside": ("{} is outside the workspace", "{} 在工作区之外"),
        "secret": ("{} looks like a secret", "{} 看起来是机密文件"),
        "secret_below": ("the search would read {}, which looks like a secret", "搜索会读到 {}，它看起来是机密文件"),
        "denied_below": ("the search would read what the rule {} denies", "搜索会读到规则 {} 所拒绝的内容"),
        "odd_name": ("the name {} could be taken for several, or for an option", "文件名 {} 可能被拆开或当作选项"),
        "follows_links": ("it follows symbolic links that can't all be checked", "它会跟随无法全部检查的符号链接"),
        "new_url": ("nobody gave it the address {}", "没有人给过它地址 {}"),
        "hidden_characters": ("it has control or invisible characters ({})", "含有控制字符或不可见字符（{}）"),
        "too_long": ("it has more than {} characters", "超过 {} 个字符"),
        "not_understood": ("it can't be parsed: {}", "无法解析：{}"),
        "ambiguous": ("it can be read in more than one way", "它可以有不止一种解读"),
        "beyond_plain": ("it uses more of the shell than can be checked twice", "它使用了无法复核的 shell 语法"),
        "comment": ("a comment can hide what it does", "注释可能掩盖其作用"),
        "substitution": ("it runs what another command prints", "它会执行另一命令的输出"),
        "expansion": ("what {} stands for is not known before it runs", "{} 的值在运行前无法得知"),
        "computed_program": ("which program {} runs is not known beforehand", "{} 会运行哪个程序事先无法得知"),
        "pattern": ("what {} matches can't be checked", "{} 匹配的内容无法检查"),
        "heredoc": ("it is fed a text (here-document)", "它由内嵌文本（here-document）提供输入"),
        "assignment": ("it sets {}, which can change what programs do", "它设置了 {}，可能改变程序的行为"),
        "redirection": ("it writes to {}", "会写入 {}"),
        "odd_redirection": ("it opens {} in an unusual way", "它以不寻常的方式打开 {}"),
        "function": ("it defines the function {}", "它定义了函数 {}"),
        "background": ("it leaves a process running", "它会留下后台进程"),
        "control_flow": ("it holds a {} statement", "含有 {} 语句"),
        "shell_state": ("{} changes the shell itself", "{} 会改变 shell 本身"),
        "unknown_program": ("{} is not known to only read", "无法确证 {} 只读"),
        "unknown_option": ("{} is not known to only read", "无法确证 {} 只读"),
        "repository_programs": (
            "this repository's settings name programs to run ({})",
            "该仓库的设置指定了要运行的程序（{}）",
        ),
    }
)
