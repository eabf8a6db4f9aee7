#!/bin/sh
# The pages of whole sources and the search, of the sample book and of the book
# itself; a fault in either is seen.
# takes: 30 s
# shellcheck disable=SC1091,SC2154
set -u
. "$(dirname "$0")/tap.sh"
export BOOK_FORMATS=html
root=$(cd "$here/../.." && pwd)
sample=$here/sample

pages() { node "$here/check/pages.js" "$scratch/html"; }
sources() { node "$here/check/sources.js" "$sample" "$scratch/html"; }
search() { node "$here/check/search.js" "$scratch/html" "$@"; }

holds "the sample book builds" "$book/build.sh" "$sample" "$scratch/html"
holds "each line of its kernels is on a page, and leads to its listing" sources
holds "what it says is found" search stage_launch twice 'make'

zero=source-stage0.html two=02-first.html
shows_all sources.list

# ---- the testers ----
# spoilt NAME FILE SED-SCRIPT CHECK...: a fault in the pages must be seen
spoilt() {
  name=$1 file=$scratch/html/$2
  cp "$file" "$scratch/unspoilt"
  sed -i "$3" "$file"
  shift 3
  ! cmp -s "$file" "$scratch/unspoilt" && ! "$@" >"$scratch/said"
  ok $? "seen: $name"
  cp "$scratch/unspoilt" "$file"
}
spoilt "a line of a kernel is missing" $zero '/id="L7"/d' sources
spoilt "a line is there twice" $zero '/id="L7"/p' sources
spoilt "a line has another number" $zero 's/data-n="7"/data-n="8"/' sources
spoilt "a line has another text" $zero 's/twice/thrice/' sources
spoilt "a line leads to another listing" $zero \
  '/id="L7"/s/#lst-helper/#lst-kernel/' sources
spoilt "a line leads nowhere" $zero '/id="L7"/s/ href="[^"]*"//' sources
spoilt "a listing leads to another line" $two \
  's/stage0.html#L13"/stage0.html#L24"/' sources
spoilt "a listing leads to a line that is not there" $two \
  's/stage0.html#L13"/stage0.html#L99"/' pages
spoilt "a term is not in the index" search-index.js \
  's/\["term-online-softmax","online softmax"\]//' search
spoilt "a heading is not in the index" search-index.js \
  's/"1.1 Which gate catches what"/""/' search
spoilt "an identifier is not in the index" search-index.js \
  's/stage_launch//g' search stage_launch
spoilt "the index leads to what is not there" $two \
  's/id="lst-kernel"/id="lst-colonel"/' search

# ---- the book ----
sample=$root
holds "the book builds" "$book/build.sh" "$root" "$scratch/html"
holds "links, anchors, ids; nothing is loaded from outside" pages
holds "each line of its kernels is on a page, and leads to its listing" sources
holds "what it says is found" search __pipeline_wait_prior USE_XOR_SWIZZLE \
  'bank conflicts' roofline 'make setup'

finish
