"""Texts use the house words: docs/contributing/words.md lists the phrases that no text may hold."""

import io
import re
import tokenize

import pytest
from harness import ROOT, run

HOUSE_WORDS = ROOT / "docs" / "contributing" / "words.md"
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*(?:\\\n(?:[^"\\]|\\.)*)*)"|`((?:[^`\\]|\\.)*)`', re.S)
HELP = re.compile(r"^\s*///(.*)$", re.M)


def banned():
    section = HOUSE_WORDS.read_text().split("## What the check looks for\n")[1].split("\n## ")[0]
    phrases = re.findall(r"^- `([^`]+)`", section, re.M)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, phrases)) + r")\b", re.I)


def blank(match):
    """As many lines as before, so that line numbers stay true."""
    return "\n" * match.group().count("\n")


def of_document(text):
    yield from enumerate(CODE.sub("", FENCE.sub(blank, text)).splitlines(), 1)


def of_code(text, pattern):
    for match in pattern.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        if " " in words.strip():
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"\\\n\s*", "", words)


def of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and " " in token.string:
            yield token.start[0], token.string


def without_comments(text):
    return re.sub(r"^\s*//.*$", blank, text, flags=re.M)


def texts(path):
    text = path.read_text()
    if path.suffix == ".md":
        yield from of_document(text)
    elif path.suffix == ".py":
        yield from of_python(text)
    elif path.suffix == ".rs":
        yield from of_code(without_comments(text.split("\n#[cfg(test)]\nmod tests {")[0]), LITERAL)
        if path.is_relative_to(ROOT / "crates" / "cli"):
            yield from of_code(text, HELP)
    elif path.suffix == ".html":
        yield from enumerate(text.splitlines(), 1)
    else:
        yield from of_code(without_comments(text), LITERAL)


def files():
    names = run(["git", "ls-files", "*.md", "crates/*/src/*.rs", "viewer/src/*.ts", "viewer/*.html", "python/*.py"], cwd=ROOT).ok().out.split()
    names.remove(str(HOUSE_WORDS.relative_to(ROOT)))
    return [ROOT / name for name in names if not name.startswith(("tests/", "viewer/dist/")) and not re.search(r"/tests?(/|\.rs)|/tests_", name)]


def test_texts_use_the_house_words():
    wrong, pattern = [], banned()
    for path in files():
        for number, line in texts(path):
            for word in pattern.findall(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {word}: {line.strip()[:160]}")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.md", "It is told.\n```\nis told\n```\nIt `is told`.\nIs told\n", [1, 6]),
        ("a.rs", 'fn f() {\n    // is told\n    g("is told");\n    h("x\\n \\\n       is told");\n}\n', [3, 4]),
        ("a.ts", "f(`a ${b} is told`);\n// it `is told`\n", [1]),
        ("a.py", "x = 1  # is told\ny = 'is told'\n", [2]),
    ],
)
def test_the_check_finds_texts_and_leaves_code_out(tmp_path, name, text, lines):
    path = tmp_path / name
    path.write_text(text)
    found = [number for number, line in texts(path) if re.search(r"is told", line, re.I)]
    assert found == lines
