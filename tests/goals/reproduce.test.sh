#!/bin/sh
# Two builds in two folders give the same bytes: programs, cubins, the book.
# takes: 70 s
set -u
. tests/lib.sh
one=$(mktemp -d) other=$(mktemp -d /var/tmp/another-folder-XXXXXX)
log=$(mktemp)
trap 'rm -rf "$one" "$other" "$log"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED
export CCACHE_DISABLE=1 # it would give the second what it kept of the first
goal=book
command -v chromium >/dev/null || goal=book-html
cuda=$(tools/setup/cuda-home.sh 2>/dev/null) || cuda=''

build_in() (
  copy_sources "$1"
  cd "$1" || exit 1
  make -j2 stage0 stage1 TARGET=cpu || exit 1
  [ -z "$cuda" ] || make -j2 stage0 stage1 TARGET=gpu resources || exit 1
  ! tools/setup/pandoc.sh 2>/dev/null || make $goal
)
build_in "$one" >"$log" 2>&1
ok $? "the first build" "$log"
build_in "$other" >"$log" 2>&1
ok $? "the second build" "$log"
list=$(cd "$one" && find build -type f \( -name program -o -name '*.cubin' \
  -o -name '*.o' -o -path '*/book/html/*' \) | sort)
for kind in program '.cubin' '.o' '.html' '.pdf' '.epub'; do
  differing='' count=0
  for file in $list; do
    case $file in *"$kind") ;; *) continue ;; esac
    count=$((count + 1))
    cmp -s "$one/$file" "$other/$file" || differing="$differing $file"
  done
  if [ "$kind" = .cubin ] && [ -z "$cuda" ]; then
    skip "cubins" "no nvcc here"
    continue
  fi
  case $goal$kind in
  book-html.pdf | book-html.epub)
    skip "$kind" "chromium is not installed"
    continue ;;
  esac
  echo "$differing" >"$log"
  [ -z "$differing" ] && [ $count -gt 0 ]
  ok $? "$count files of kind $kind are the same" "$log"
done
finish
