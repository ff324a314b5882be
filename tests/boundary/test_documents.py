"""README and documents: all commands and documents are in it, and links lead somewhere."""

import re

from harness import MPISCOPE, ROOT, run

LINK = re.compile(r"\]\(([^)\s]+)\)")
README = ROOT / "README.md"


def documents():
    tracked = run(["git", "ls-files", "*.md"], cwd=ROOT).ok().out.split()
    return [ROOT / name for name in tracked]


def anchors(text):
    """As they are made of headings: lower case, spaces are hyphens, no other signs."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return found


def test_every_command_is_in_the_readme():
    help = run([MPISCOPE, "--help"]).ok().out
    listed = re.search(r"^Commands:\n(.*?)\n\n", help, re.M | re.S).group(1)
    commands = set(re.findall(r"^  (\w+)", listed, re.M)) - {"help"}
    table = README.read_text().split("## Commands")[1].split("\n## ")[0]
    assert set(re.findall(r"`mpiscope (\w+)", table)) == commands


def test_every_document_is_linked_from_the_readme():
    linked = {(ROOT / link.split("#")[0]).resolve() for link in LINK.findall(README.read_text())}
    apart = ("docs/decisions/0",)
    wanted = [d for d in documents() if d.is_relative_to(ROOT / "docs") and not str(d.relative_to(ROOT)).startswith(apart)]
    assert [str(d.relative_to(ROOT)) for d in wanted if d not in linked] == []


def test_every_decision_is_in_their_list():
    folder = ROOT / "docs" / "decisions"
    linked = set(LINK.findall((folder / "README.md").read_text()))
    assert sorted(p.name for p in folder.glob("0*.md")) == sorted(linked)


def test_links_lead_somewhere():
    wrong = []
    for document in documents():
        text = re.sub(r"^```.*?^```|`[^`]*`", "", document.read_text(), flags=re.M | re.S)
        for link in LINK.findall(text):
            if "://" in link or link.startswith("mailto:"):
                continue
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            name = f"{document.relative_to(ROOT)}: {link}"
            if not target.exists():
                wrong.append(name)
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                wrong.append(name)
    assert wrong == []


def test_source_files_that_documents_name_exist():
    sources = ["/" + name for name in run(["git", "ls-files"], cwd=ROOT).ok().out.split()]
    missing = []
    for document in documents():
        for name in re.findall(r"`([\w/.-]*\w\.(?:rs|ts|mjs|py))`", document.read_text()):
            crate, _, path = name.partition("/")
            ends = ("/" + name.removeprefix("./"), f"/crates/{crate}/src/{path}")
            if "NAME" not in name and not any(source.endswith(ends) for source in sources):
                missing.append(f"{document.relative_to(ROOT)}: {name}")
    assert missing == []


def test_pictures_are_made_by_the_script():
    """One command makes all pictures of the viewer in the documents, another one those of predicted runs."""
    script = "tests/viewer/screenshots.mjs"
    text = (ROOT / script).read_text()
    made = set(re.findall(r'"([\w-]+)"', re.search(r"^const SETS = \[\n(.*?)^\];", text, re.M | re.S).group(1)))
    made |= set(re.findall(r'"([a-z-]+)": "', (ROOT / "tests/predicted/pictures.py").read_text()))
    shown = {
        (document.parent / link).resolve()
        for document in documents()
        for link in LINK.findall(document.read_text())
        if link.endswith(".png") and "://" not in link
    }
    assert sorted(picture.stem for picture in shown) == sorted(made), f"{script} makes other pictures than documents show"
    kept = {path.resolve() for path in (ROOT / "docs").rglob("*.png")}
    assert sorted(kept - shown) == [], "pictures that no document shows"
