"""What built pages say: their links, and the lines of their listings."""

import html
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

CHOOSES = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")


def texts(folder, pattern="*.html"):
    return {p.name: p.read_text() for p in sorted(Path(folder).glob(pattern))}


def plain(markup):
    """The words of some HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def broken(folder, pattern="*.html"):
    """Links that lead nowhere, ids that are there twice, and what a browser
    would load from elsewhere or not find."""
    folder, all_text, faults = Path(folder), texts(folder, pattern), []
    assert all_text
    ids = {name: Counter(re.findall(r'\sid="([^"]*)"', text))
           for name, text in all_text.items()}
    for name, text in all_text.items():
        faults += [f"{name}: id {id} twice" for id, count in ids[name].items()
                   if count > 1]
        for target in re.findall(r'<a\s[^>]*href="([^"]*)"', text):
            page, _, anchor = target.partition("#")
            page = page or name
            if not re.match(r"https?:", target) and (
                    not (folder / page).exists() or
                    anchor and anchor not in ids.get(page, ())):
                faults.append(f"{name}: no {target}")
        for target in re.findall(
                r'<(?:link|use|image)\s(?!rel="canonical")[^>]*href="([^"]*)"|'
                r'\ssrc(?:set)?="([^"]*)"|url\([\'"]?([^\'")]*)', text):
            target = "".join(target)
            if not target.startswith("#") and not (folder / target).is_file():
                faults.append(f"{name}: loads {target}")
    for style in folder.rglob("*.css"):
        for target in re.findall(r'url\([\'"]?([^\'")]*)', style.read_text()):
            if not (style.parent / target).is_file():
                faults.append(f"{style.name}: loads {target}")
    return faults


class Line(NamedTuple):
    kind: str  # "", new, added, removed, gap ...
    number: int  # 0 where it has none
    sign: str
    text: str
    id: str
    href: str


def lines(markup):
    """The lines of code in some HTML."""
    found = []
    for part in markup.split('<span class="line')[1:]:
        head, code = part.split(">", 1)
        code = re.split(r"</code>|\n", code)[0].removesuffix("</span>")

        def get(pattern, default=""):
            match = re.search(pattern, head + ">" + code)
            return match[1] if match else default
        found.append(Line(head.split('"')[0].strip(),
                          int(get(r'data-n="(\d+)"', 0)),
                          get(r'data-sign="([^"]*)"').strip(), plain(code),
                          get(r'^[^>]* id="(\w+)"'),
                          get(r'<a class="n"[^>]* href="([^"]*)"')))
    return found


class Listing(NamedTuple):
    place: str  # page.html#id
    file: str
    arm: list  # toggles that it names
    lines: list


def listings(folder):
    for name, text in texts(folder, "[0-9A-Z]*.html").items():
        for id, markup in re.findall(
                r'<figure class="listing" id="([^"]*)">(.*?)</figure>', text,
                re.S):
            link = re.search(r'<a class="source"[^>]*>(.*?)</a>', markup)
            assert link, f"{name}#{id} leads to no source"
            file, _, rest = plain(link[1]).partition(", ")
            yield Listing(f"{name}#{id}", file,
                          re.findall(r"\w+=\w+", rest.split(" against ")[0]),
                          lines(markup))


def compiled(path, settings=()):
    """The numbers of the lines that the compiler reads with these toggles."""
    text, kept = [], False  # kept: this line goes on with a directive
    for number, line in enumerate(path.read_text().splitlines(), 1):
        chooses = CHOOSES.match(line)
        defines = re.match(r"\s*#\s*(define|undef)\b", line)
        if not chooses and not kept:
            text.append(f"@{number}")
        if chooses or defines or kept:
            text.append(line)
        kept = (chooses or defines or kept) and line.endswith("\\")
    said = subprocess.run(
        ["g++", "-E", "-P", "-undef", "-nostdinc", "-x", "c++",
         *(f"-D{s}" for s in settings), "-"], input="\n".join(text),
        capture_output=True, text=True, check=True).stdout
    return {int(n) for n in re.findall(r"@(\d+)", said)}
