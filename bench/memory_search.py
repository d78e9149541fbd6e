"""How long a search of 100,000 notes takes, what an index costs to make, and whether it finds what a grep finds.

`uv run python -m bench.memory_search [--notes N] [--days N]` prints it; a search looks for changed files first.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from helloclaw.memory.search import Finder

SEED = 7
ENGLISH_WORDS = """
deploy server cache token memory build release branch python rust database index query latency budget meeting review
design invoice customer holiday coffee travel train garden piano doctor school bridge winter ticket
"""
CHINESE_WORDS = """
部署 服务器 缓存 内存 构建 发布 分支 数据库 索引 查询 延迟 预算 会议 评审 设计 发票 客户 假期 咖啡 旅行 火车 花园
钢琴 医生 学校 大桥 冬天 车票 年糕 周报
"""
ENGLISH, CHINESE = ENGLISH_WORDS.split(), CHINESE_WORDS.split()
RARE = ("kestrel", "max_tokens", "li.lei@example.com", "v3.12.1", "鲸鱼座", "乌龙茶", "zanzibar", "PostgreSQL")
TODAY = date(2026, 6, 30)


def notes(count: int, chance: random.Random) -> list[str]:
    """English, Chinese and mixed; one in a hundred has something rare in it."""
    made: list[str] = []
    for number in range(count):
        words = [chance.choice(ENGLISH) for _ in range(6)]
        chinese = "".join(chance.choice(CHINESE) for _ in range(6))
        text = (" ".join(words), chinese, f"{words[0]} {words[1]} {chinese}")[number % 3]
        made.append(f"{text} {chance.choice(RARE)}" if number % 100 == 0 else text)
    return made


def write(workspace: Path, texts: list[str], days: int) -> None:
    (workspace / "memory").mkdir(parents=True)
    (workspace / "sessions").mkdir()
    per_day = -(-len(texts) // days)
    for day in range(days):
        rows = [f"- [fact] {text}" for text in texts[day * per_day : (day + 1) * per_day]]
        page = workspace / "memory" / f"{TODAY - timedelta(days=day)}.md"
        page.write_text("\n".join(["# day", "", "## 10:00", "", *rows, ""]), encoding="utf-8")


def queries(chance: random.Random, count: int) -> list[str]:
    pools = (RARE, ENGLISH, CHINESE)
    made = [chance.choice(pools[number % 3]) for number in range(count // 2)]
    return made + [f"{chance.choice(ENGLISH)} {chance.choice(CHINESE)}" for _ in range(count - len(made))]


def timed_ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def recall(finder: Finder, texts: list[str]) -> tuple[int, int]:
    """Of rare words: how many of the notes that a grep finds, up to 20, a search finds."""
    found = wanted = 0
    for word in RARE:
        holding = sum(word.casefold() in text.casefold() for text in texts)
        hits = finder.search(word, 20).hits
        found += sum(word.casefold() in hit.text.casefold() for hit in hits)
        wanted += min(20, holding)
    return found, wanted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=1_095)
    wanted = parser.parse_args()
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        workspace = Path(directory)
        texts = notes(wanted.notes, chance)
        write(workspace, texts, wanted.days)
        finder = Finder(workspace, workspace / "sessions", workspace / "cache.sqlite", today=lambda: TODAY)
        print(f"{wanted.notes:,} notes on {wanted.days:,} pages")
        print(f"index made in {timed_ms(lambda: finder.search('x')) / 1000:.1f} s")
        times = sorted(timed_ms(lambda query=query: finder.search(query, 10)) for query in queries(chance, 400))
        print(f"a search: median {statistics.median(times):.1f} ms, p95 {times[int(len(times) * 0.95)]:.1f} ms")
        page = workspace / "memory" / f"{TODAY}.md"
        page.write_text(page.read_text(encoding="utf-8") + "- quokka\n", encoding="utf-8")
        print(f"a search after an edit: {timed_ms(lambda: finder.search('quokka')):.1f} ms")
        found, there = recall(finder, texts)
        print(f"of {there} notes that a grep for rare words finds, {found} are found")
        words = [word.encode() for word in ("kestrel", "乌龙茶")]
        grepped = timed_ms(
            lambda: sum(any(word in path.read_bytes() for word in words) for path in workspace.glob("memory/*.md"))
        )
        print(f"to read all pages and look for two words: {grepped:.0f} ms")
        finder.close()


if __name__ == "__main__":
    main()
