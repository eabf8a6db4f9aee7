#!/bin/sh
# The slides in a real browser: Chromium, driven by Playwright. Screenshots stay
# in build/browser/slides.
# takes: 120 s
set -u
. tests/lib.sh
# shellcheck source=tests/browser/browser.sh
. tests/browser/browser.sh
need_browser 'the slides in a browser'

BOOK_KEPT=$PWD/build/ccache/book book/slides/build.sh . "$scratch/slides" \
  >"$scratch/log" 2>&1 || {
  ok 1 "the slides build" "$scratch/log"
  finish
  exit
}
PYTHONDONTWRITEBYTECODE=1 .deps/tests/bin/python tests/browser/slides.py \
  "$chromium" "$scratch/slides" build/browser/slides
