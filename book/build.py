#!/usr/bin/env python3
"""Builds the book or the slides aside, and puts them in place only when all of
it is well:
  build.py book [ROOT [OUT]]      the tree with chapters/ (.), the pages' folder
  build.py slides [ROOT [OUT]]    the folder of the slides and their handout
  build.py serve OUT PORT         builds the book, and serves it here
The PDF and the EPUB stand beside the pages. Of the environment: BOOK_FORMATS=
html builds the pages alone, with BOOK_PAGE=17 those of chapter 17, into the
last build. BOOK_SITE: the address that the pages will have, for those who
publish them. BOOK_STUDENT=1 leaves the answers out, of slides
what the teacher says. BOOK_DRAFT=1: figures of another kernel are marked, and
no errors. BOOK_KEPT: the folder of what builds keep for the next, where it is
not the one beside the pages.
Exit 1: there are errors. Exit 2: usage. Exit 3: a program is missing."""

import base64
import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

BOOK = Path(__file__).resolve().parent
TOOLS = BOOK.parent / "tools"
PLAYWRIGHT = BOOK.parent / ".deps/tests/bin/python"  # which has it
sys.path.append(str(TOOLS / "common"))
from command import end, stop

SITE = re.compile(r"https?://[A-Za-z0-9:/._~%-]+")
STYLES = "colours frame search text code source widgets media".split()
# What a user's own settings of git may change, and the EPUB's time: the same
# files always make the same book.
QUIET = {"LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
         "GIT_CONFIG_GLOBAL": os.devnull, "SOURCE_DATE_EPOCH": "946684800"}


def switch(name, does):
    value = os.environ.get(f"BOOK_{name}", "")
    if value not in ("", "0", "1"):
        stop(2, f"{name} is '{value}': 1 {does}.")


def need(what, *programs):
    for program in programs:
        if not shutil.which(program):
            stop(3, f"{what} {program}: 'make setup' installs it.")


def need_all(what, root, *paths):
    """The programs that all builds use, and the folder of KaTeX."""
    if code := subprocess.run([TOOLS / "setup/pandoc.sh"]).returncode:
        sys.exit(code)
    need(what, "node", "git", "unifdef")
    os.environ.update(QUIET, NODE_PATH=os.pathsep.join(
        filter(None, (os.environ.get("NODE_PATH"), "/usr/share/nodejs"))))
    found = subprocess.run(
        ["node", "-p", 'path.dirname(require.resolve("katex/package.json"))'],
        capture_output=True, text=True)
    if found.returncode:
        stop(3, f"{what} KaTeX: 'make setup' installs it.")
    for path in paths:
        if not (root / path).exists():
            stop(1, f"{root / path} is missing.")
    return Path(found.stdout.strip())


def katex_style(katex):
    """Its style sheet, which names no fonts but the woff2 ones."""
    return re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\([^)]*\)", "",
                  (katex / "dist/katex.min.css").read_text())


def theme(*names):
    return "".join((BOOK / f"theme/{name}.css").read_text() for name in names)


def kept(out, katex):
    """What an earlier build found out: it holds as long as the programs that
    found it are the same."""
    sources = [path for path in BOOK.rglob("*") if path.suffix in
               {".lua", ".js", ".xml", ".py"}]
    tools = (path for name in ("diff", "results", "toggles")
             for path in TOOLS.glob(f"{name}/*.py"))
    stamp = hashlib.sha1(b"".join(path.read_bytes() for path in sorted(
        [*sources, *tools, katex / "package.json",
         TOOLS / "setup/pins.conf"])))
    return (Path(os.environ.get("BOOK_KEPT") or out.parent / "cache")
            / f"answers-{stamp.hexdigest()[:16]}")


def read_chapters(root, new, answers):
    """Has pandoc run a filter, which reads the chapters itself, and writes its
    own files to the folder `new`."""
    code = subprocess.run(
        # More room between two garbage collections takes less time.
        [TOOLS / "setup/pandoc.sh", *"+RTS -A64m -RTS".split(),
         "--from", "markdown-smart", "--metadata-file",
         BOOK / "templates/epub.yaml", "--metadata-file", "chapters/book.yaml",
         "--lua-filter", BOOK / "book.lua",
         *(word for name in ("cuda", "ptx") for word in
           ("--syntax-definition", BOOK / f"syntax/{name}.xml")),
         "--to", "native", "--output", os.devnull, os.devnull], cwd=root,
        env={**os.environ, "BOOK_OUT": new, "BOOK_CACHE": answers}).returncode
    if code == 64:
        stop(1, f"{root}/chapters/book.yaml is not valid YAML.")
    if code:
        sys.exit(1)


def aside(out):
    """A folder beside `out`, which goes when the build ends."""
    out.parent.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=f"{out.name}.", dir=out.parent)


def put_in_place(new, out):
    old = Path(f"{out}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def write_pages(root, new, answers, katex, formats):
    cache = answers.parent
    (new / "html/katex/fonts").mkdir(parents=True)
    for name in "book.js", "search.js":
        shutil.copy(BOOK / "theme" / name, new / "html")
    shutil.copytree(BOOK / "widgets", new / "html/widgets")
    (new / "html/book.css").write_text(theme(*STYLES))
    for font in katex.glob("dist/fonts/*.woff2"):
        shutil.copy(font, new / "html/katex/fonts")
    (new / "html/katex/katex.min.css").write_text(katex_style(katex))
    shutil.copy(BOOK / "theme/print.css", new)
    read_chapters(root, new, answers)
    names = ""
    if formats:
        # What Chromium leaves when it is interrupted goes, too.
        with tempfile.TemporaryDirectory() as scratch:
            if subprocess.run([PLAYWRIGHT, BOOK / "print.py", new,
                               cache / "pages.json"],
                              env={**os.environ, "TMPDIR": scratch}
                              ).returncode:
                sys.exit(1)
        name = (new / "name").read_text().strip()
        (new / "book.pdf").rename(new / f"html/{name}.pdf")
        (new / "picture.png").rename(new / "html/ladder.png")
        names = f", {name}.pdf and {name}.epub"
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob("answers-*"):
        old.unlink()
    shutil.move(new / "cache", answers)
    if (new / "pages.json").exists():
        shutil.move(new / "pages.json", cache / "pages.json")
    return names


def book(root=".", out="build/book/html"):
    root, site = Path(root), os.environ.get("BOOK_SITE")
    if site and not SITE.fullmatch(site):
        stop(2, f"SITE is '{site}': give the address that the pages will have, "
             "as in SITE=https://example.org/book.")
    switch("STUDENT", "leaves the answers to exercises out")
    switch("DRAFT", "marks stale figures, and builds the book")
    # With an address, all pages name it.
    if (name := os.environ.pop("BOOK_PAGE", "")) and not site:
        return page(root, out, name)
    formats = os.environ.get("BOOK_FORMATS", "all") != "html"
    katex = need_all("The book needs", root, "chapters/book.yaml")
    if formats:
        need("The book's PDF and EPUB need", "chromium", "qpdf", PLAYWRIGHT)
    place = Path(out).absolute()
    with aside(place) as new:
        names = write_pages(root, Path(new), kept(place, katex), katex, formats)
        put_in_place(Path(new, "html"), place)
    return print(f"The book is in {out}/index.html{names}.")


def page(root, out, name):
    """The pages of one chapter, and of its notes, in the last whole build;
    where there is none, or it lacks them, the whole book is built."""
    place = Path(out).absolute()
    names = sorted(path.stem for path in root.glob("chapters/*.md"))
    one = next((its for its in names if name in (
        its, its.partition("-")[0], its.partition("-")[0].lstrip("0"))), None)
    if not one:
        stop(2, f"There is no chapter '{name}'; those here: "
             f"{' '.join(names)}.")
    answers = kept(place, need_all("The book needs", root))
    pages = [f"{one}.html", *(f"{one}-notes.html" for _ in root.glob(
        f"chapters/notes/{one}.md"))]
    if not answers.exists() or any(not (place / its).exists() for its in pages):
        return book(root, out)
    with aside(place) as new:
        Path(new, "html").mkdir()
        os.environ["BOOK_PAGE"] = f"{one}.md"
        read_chapters(root, new, answers)
        for its in pages:
            Path(new, "html", its).replace(place / its)
            print(f"The page is {out}/{its}.")
    return None


def slides(root=".", out="build/book/slides"):
    root = Path(root)
    switch("STUDENT", "leaves the teacher's notes out")
    os.environ["BOOK_FORMATS"] = "slides"
    katex = need_all("The slides need", root, "chapters/book.yaml",
                     "workshop/slides")
    style = katex_style(katex)
    for font in katex.glob("dist/fonts/*.woff2"):
        data = base64.b64encode(font.read_bytes()).decode()
        style = style.replace(f"url(fonts/{font.name})",
                              f"url(data:font/woff2;base64,{data})")
    place = Path(out).absolute()
    with aside(place) as new:
        Path(new, "pages").mkdir()
        Path(new, "katex.css").write_text(style)
        Path(new, "book.css").write_text(theme("colours", "text", "code"))
        read_chapters(root, new, kept(place, katex))
        put_in_place(Path(new, "pages"), place)
    print(f"The slides are in {out}/slides.html, their handout in "
          "handout.html.")


def serve(out, port):
    try:  # before the minutes that the book takes
        with socket.socket() as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", int(port)))
    except (OSError, OverflowError, ValueError):
        stop(2, f"Port '{port}' is taken, or is none: name another, as in "
             "PORT=8001.")
    book(".", out)
    print(f"http://127.0.0.1:{port}/ (Ctrl-C ends it)")
    os.execvp("python3", ["python3", "-m", "http.server", "--bind",
                          "127.0.0.1", "--directory", out, port])


def main(verb="book", *words):
    os.umask(0o022)
    return {"book": book, "slides": slides, "serve": serve}[verb](*words)


end(main, *sys.argv[1:])
