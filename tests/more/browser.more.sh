#!/bin/sh
# The book in a real browser, with the pages of all sources.
# takes: 300 s
PAGES=all exec tests/browser/browser.test.sh
