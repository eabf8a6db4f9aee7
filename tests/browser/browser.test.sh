#!/bin/sh
# The book in a real browser: Chromium, driven by Playwright. Two run side by
# side, with half of the work each: looks at every page, of which screenshots
# stay in build/browser, and what readers do. Of chapters six are drawn, and of
# pages of sources two; tests/more/browser.more.sh looks at all.
# never kept: a browser under strace is slow
# takes: 120 s
set -u
. tests/lib.sh
# shellcheck source=tests/browser/browser.sh
. tests/browser/browser.sh
need_browser 'the book in a browser'

html=$scratch/book/html
seed=${PAGES:-${SEED:-$(git rev-parse --short=12 HEAD 2>/dev/null)}}
mkdir "$scratch/book"
BOOK_KEPT=$PWD/build/ccache/book BOOK_FORMATS=html \
  book/build.sh . "$html" >"$scratch/log" 2>&1 || {
  ok 1 "the book builds" "$scratch/log"
  finish
  exit
}

look() {
  PYTHONDONTWRITEBYTECODE=1 .deps/tests/bin/python tests/browser/browser.py \
    "$chromium" "$html" . build/browser "$seed" "$@" 2>&1
}
look odd still >"$scratch/half" &
look even widgets reading planted
code=$?
wait $! || code=1
cat "$scratch/half"
exit $code
