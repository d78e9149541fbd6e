"""What a command inherits."""

from __future__ import annotations

from pathlib import Path

import pytest

from helloclaw.tools.environment import is_dropped, rebuild
from helloclaw.tools.registry import open_context
from tests.tools.conftest import Bench


@pytest.mark.parametrize(
    "name",
    """ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN LLM_API_KEY BRAVE_API_KEY TAVILY_API_KEY OPENAI_API_KEY HF_TOKEN GH_TOKEN
    GITHUB_PAT AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN PGPASSWORD MYSQL_PWD DB_PASS SENTRY_DSN
    NPM_CONFIG__AUTH npm_config__authToken UV_INDEX_MAIN_PASSWORD DJANGO_SECRET_KEY API_KEY_2
    GOOGLE_APPLICATION_CREDENTIALS BASH_ENV ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND BASH_FUNC_ls%% LD_PRELOAD
    LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES
    GIT_DIR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_PARAMETERS CDPATH IFS PYTHONSTARTUP PERL5OPT RUBYOPT LESSOPEN
    MANPAGER PAGER EDITOR VISUAL SYSTEMD_PAGER RIPGREP_CONFIG_PATH GREP_OPTIONS SSH_ASKPASS""".split(),  # noqa: SIM905 - a list of 40 strings reads worse
)
def test_secrets_and_what_steers_programs_are_dropped(name: str) -> None:
    assert is_dropped(name, "anything")


@pytest.mark.parametrize(
    "value",
    [
        "sk-ant-api03-abc", "ghp_abcdefgh", "github_pat_11", "AKIAIOSFODNN7EXAMPLE", "xoxb-1-2",
        "postgres://user:password@db/name", "eyJhbGciOi.eyJzdWIiOi.c2ln", "-----BEGIN PRIVATE KEY-----\nMII",
    ],
)  # fmt: skip
def test_values_that_are_secrets_are_dropped_whatever_the_name(value: str) -> None:
    assert is_dropped("HARMLESS", value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOME", "/home/someone"), ("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C"), ("TMPDIR", "/tmp"), ("USER", "someone"),
        ("TZ", "Asia/Shanghai"), ("VIRTUAL_ENV", "/venv"), ("JAVA_HOME", "/jdk"), ("GOPATH", "/go"),
        ("NVM_DIR", "/nvm"),
        ("SSH_AUTH_SOCK", "/run/agent"), ("https_proxy", "http://user:password@proxy:8080"), ("MONKEY", "1"),
        ("KEYBOARD", "us"), ("XDG_RUNTIME_DIR", "/run/user/1000"), ("AUTHOR", "someone"), ("COMPASS", "north"),
        ("DATABASE_URL", "postgres://localhost/name"), ("PYTHONPATH", "src"), ("SSL_CERT_FILE", "/ca.pem"),
    ],
)  # fmt: skip
def test_what_programs_need_is_kept(name: str, value: str) -> None:
    assert rebuild({name: value})[name] == value


def test_git_and_python_are_made_tame() -> None:
    assert rebuild({"PATH": "/usr/bin:.::rel/bin:/bin"}) == {
        "PATH": "/usr/bin:/bin",
        "LC_CTYPE": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "MANPAGER": "cat",
        "EDITOR": "true",
        "GIT_EDITOR": "true",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUNBUFFERED": "1",
        "DEBIAN_FRONTEND": "noninteractive",
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "log.showSignature",
        "GIT_CONFIG_VALUE_1": "false",
        "GIT_CONFIG_KEY_2": "diff.autoRefreshIndex",
        "GIT_CONFIG_VALUE_2": "false",
    }


async def test_a_real_command_sees_no_more(tmp_path: Path) -> None:
    evil = tmp_path / "evil.sh"
    evil.write_text("echo EVIL\n")
    environ = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "BASH_ENV": str(evil),
        "ENV": str(evil),
        "PS4": "$(echo EVIL)",
        "SHELLOPTS": "xtrace",
        "BASH_FUNC_ls%%": "() { echo EVIL; }",
        "ANTHROPIC_API_KEY": "EVIL",
        "LD_PRELOAD": "/EVIL.so",
    }
    context = open_context("s", tmp_path, environ=environ)
    text = await Bench(context).text("bash", command="ls; env; set -x; sh -c env")
    await context.close()
    assert "EVIL" not in text
    assert "BASH_ENV" not in text
    assert "HELLOCLAW_CWD_FD" not in text
