#!/bin/sh
# The slides in a real browser: Chromium, driven by Playwright. Screenshots stay
# in build/browser/slides.
# never kept: a browser under strace is slow
# takes: 120 s
set -u
. tests/lib.sh
# shellcheck source=tools/setup/present.sh
tools=$PWD/tools && . tools/setup/present.sh

none() {
  skip "the slides in a browser" "$1"
  finish
  exit
}
environment_here browser || none "Playwright is not installed; make setup"
chromium=$(command -v chromium) || none "chromium is not installed; make setup"
tools/setup/pandoc.sh 2>/dev/null || none "pandoc is not installed; make setup"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

BOOK_KEPT=$PWD/build/ccache/book book/slides/build.sh . "$scratch/slides" \
  >"$scratch/log" 2>&1 || {
  ok 1 "the slides build" "$scratch/log"
  finish
  exit
}
PYTHONDONTWRITEBYTECODE=1 .deps/browser/bin/python tests/browser/slides.py \
  "$chromium" "$scratch/slides" build/browser/slides
