# What scripts/run and scripts/test share: find or fetch uv, and make .venv match uv.lock. To be sourced, by any POSIX
# shell, with $root set to the checkout. Everything it says goes to stderr, in Chinese where the locale is Chinese.
# shellcheck shell=sh disable=SC2154

stamp=$root/.venv/.helloclaw-setup

say() { # ENGLISH CHINESE
    case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
        zh*) printf '%s\n' "$2" >&2 ;;
        *) printf '%s\n' "$1" >&2 ;;
    esac
}

# What .venv was made from. It names its own place, since a virtual environment cannot be moved or copied.
recipe() {
    printf '%s\n' "$root"
    cat "$root/pyproject.toml" "$root/uv.lock"
}

is_set_up() { # -x follows links: false once the Python behind .venv was removed or upgraded away
    [ -x "$root/.venv/bin/python" ] && [ -x "$root/.venv/bin/helloclaw" ] && recipe | cmp -s - "$stamp"
}

# Sets $uv: the one on PATH, else the checkout's own in .tools, fetched on first need.
find_uv() {
    uv=$(command -v uv) && "$uv" --version >/dev/null 2>&1 && return
    uv=$root/.tools/bin/uv
    [ -x "$uv" ] && return
    if ! command -v python3 >/dev/null; then
        say "HelloClaw needs Python 3.11 or newer, and there is no python3 on PATH. On Debian: apt install python3" \
            "HelloClaw 需要 Python 3.11 或更新的版本,但 PATH 上没有 python3。Debian 上请运行:apt install python3"
        return 1
    fi
    say "Fetching uv, which sets HelloClaw up (20 MB, once) …" "正在获取安装工具 uv(20 MB,仅一次)……"
    python3 "$root/scripts/bootstrap_uv.py" "$root/.tools" && return
    say "uv could not be fetched. Check the network (proxy: HTTPS_PROXY, mirror: PIP_INDEX_URL), or install uv
yourself (https://docs.astral.sh/uv/) so that it is on PATH, and start again." \
        "无法获取 uv。请检查网络(代理:HTTPS_PROXY,镜像:PIP_INDEX_URL),或自行安装 uv
(https://docs.astral.sh/uv/)并确保它在 PATH 上,然后重试。"
    return 1
}

# uv in this checkout: its own .venv whatever environment is active, and a cache even for users without a home.
run_uv() {
    (
        unset VIRTUAL_ENV
        export UV_PROJECT_ENVIRONMENT="$root/.venv" UV_COMPILE_BYTECODE=1
        [ -w "${HOME:-/nonexistent}" ] || export UV_CACHE_DIR="${UV_CACHE_DIR:-$root/.tools/cache}"
        cd "$root" && exec "$uv" "$@" </dev/null >&2
    )
}

# sync_venv OPTIONS: .venv as the lock says. The lock's addresses are the public index's; somebody who has set a mirror for
# uv or pip gets the same files, by the same hashes, from there.
sync_venv() {
    quiet=--quiet
    [ -t 2 ] && quiet=
    mirror=
    command -v python3 >/dev/null && mirror=$(python3 "$root/scripts/bootstrap_uv.py" --print-index)
    case $mirror in
        '' | https://pypi.org/simple | https://pypi.org/simple/)
            run_uv sync --frozen --inexact $quiet "$@"
            ;;
        *)
            locked=$root/.venv/.helloclaw-locked.txt
            run_uv venv --allow-existing --quiet &&
                run_uv export --frozen --no-emit-project --quiet --output-file "$locked" "$@" &&
                run_uv pip install --python "$root/.venv" --default-index "$mirror" --require-hashes $quiet -r "$locked" &&
                UV_DEFAULT_INDEX=$mirror run_uv pip install --python "$root/.venv" --no-deps $quiet --editable "$root"
            ;;
    esac
}

# set_up OPTIONS: leave a .venv that can run HelloClaw, or explain what is in the way and fail.
set_up() {
    if ! mkdir -p "$root/.venv" 2>/dev/null || ! [ -w "$root/.venv" ]; then
        say "$root/.venv cannot be written by $(id -un). Run this once as the owner of $root, or clone HelloClaw for yourself." \
            "$(id -un) 无法写入 $root/.venv。请用 $root 的所有者身份运行一次,或自己克隆一份 HelloClaw。"
        return 1
    fi
    find_uv || return 1
    if [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" != "$root" ]; then
        run_uv venv --clear --quiet || return 1 # the checkout was moved or copied
    fi
    if ! run_uv python find --no-python-downloads '>=3.11' 2>/dev/null; then
        say "No Python 3.11 or newer here ($(python3 --version 2>&1)); trying to fetch one …" \
            "没有 Python 3.11 或更新的版本($(python3 --version 2>&1)),正在尝试获取……"
        if ! run_uv venv --quiet --allow-existing; then
            say "HelloClaw needs Python 3.11 or newer, and none could be fetched. Install it (Debian 12, Ubuntu 24.04 or later:
apt install python3; macOS: brew install python; any system: https://www.python.org/downloads/), then start again." \
                "HelloClaw 需要 Python 3.11 或更新的版本,且无法自动获取。请安装(Debian 12、Ubuntu 24.04 及以上:
apt install python3;macOS:brew install python;其他:https://www.python.org/downloads/)后重试。"
            return 1
        fi
    fi
    say "Setting HelloClaw up in $root/.venv …" "正在 $root/.venv 中安装 HelloClaw……"
    if ! sync_venv --extra local "$@"; then
        say "Trying again without the embedded model …" "正在重试(不含内置模型)……"
        if ! sync_venv "$@"; then
            say "HelloClaw could not be set up; uv says why above. It needs the network the first time (proxy: HTTPS_PROXY,
mirror: UV_DEFAULT_INDEX) and about 300 MB of disk. Then start again; nothing half-made is used." \
                "HelloClaw 安装失败,原因见上面 uv 的输出。第一次需要网络(代理:HTTPS_PROXY,镜像:UV_DEFAULT_INDEX),
以及约 300 MB 磁盘空间。解决后重新运行即可,不会使用装了一半的环境。"
            return 1
        fi
        say "There is no embedded model, for the reason above; everything else is here. To try for it again: rm '$stamp'" \
            "内置模型未能安装(原因见上),其余功能可用。要重新尝试,请运行:rm '$stamp'"
    fi
    # xllamacpp's Linux wheel counts on the system's OpenMP, which a minimal Debian lacks.
    if [ "$(uname -s)" = Linux ] && ! "$root/.venv/bin/python" -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null; then
        sync_venv --extra local --group openmp "$@" || true
    fi
    "$root/.venv/bin/python" -m compileall -q "$root/src" || true # a speed-up, no more
    recipe >"$stamp.$$" && mv -f "$stamp.$$" "$stamp"
}
