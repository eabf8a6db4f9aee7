#!/bin/sh
# The rooms of the house are in order; and in a small house with a mistake,
# rooms.lua names it.
set -u
. tests/lib.sh
root=$PWD
rooms() { "$root/tools/setup/pandoc.sh" lua "$root/tests/rooms/rooms.lua" "$@"; }
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT

rooms >"$log" 2>&1
ok $? "folders, headers and calls of tests/rooms/areas.lua are in order" "$log"

# house: two rooms, each source with its header, and calls that point down
house() {
  rm -rf "$folder/house" && mkdir -p "$folder/house/src/low" \
    "$folder/house/src/high"
  cd "$folder/house" || exit 1
  echo 'return {house = {folder = "src", objects = "obj", order = "low high",
    interfaces = "src/all.h", elsewhere = "^cuda"}}' >areas.lua
  echo 'int all(void);' >src/all.h
  echo 'int low(void);' >src/low/low.h
  echo 'int high(void);' >src/high/high.h
  printf '#include "src/low/low.h"\nint low(void) { return 1; }
    int cudaLow(void) { return 2; } int all(void) { return 3; }' >src/low/low.c
  printf '#include "src/high/high.h"\n#include "src/low/low.h"
    int high(void) { return low(); }' >src/high/high.c
}

# names FAULT NAME: builds the house; rooms.lua prints this fault and no other
names() {
  (cd src && find . -name '*.c') | while read -r source; do
    mkdir -p "obj/${source%/*}"
    ${CC:-cc} -I. -c -o "obj/${source%.c}.o" "src/$source" || exit 1
  done
  rooms areas.lua >"$log" 2>&1
  code=$?
  if [ -z "$1" ]; then
    [ $code -eq 0 ] && [ ! -s "$log" ]
  else
    [ $code -eq 1 ] && grep -qF -- "$1" "$log" && [ "$(wc -l <"$log")" -eq 1 ]
  fi
  ok $? "$2" "$log"
}

house
names "" "a house in order"

house
for n in $(seq 21); do touch "src/low/note$n"; done
names "src/low has 23 files of its own" "a folder with 23 files"

house
echo 'int forgotten(void) { return 4; }' >>src/high/high.c
names "src/high/high.c defines forgotten" "a function that no header declares"

house
mv src/high/high.h src/high/other.h
sed -i 's,high/high.h,high/other.h,' src/high/high.c
names "src/high/high.c defines high" "a source without its header"

house
printf '#include "src/low/low.h"\nint more(void);' >src/low/more.h
printf '#include "src/low/more.h"\nint more(void) { return low(); }' \
  >src/low/more.c
sed -i '1i #include "src/low/more.h"' src/low/low.c
names "src/low/low and src/low/more use each other" \
  "two files that use each other"

house
for n in 1 2 3; do
  next=$((n % 3 + 1))
  echo "int f$n(void);" >"src/low/f$n.h"
  printf '#include "src/low/f%d.h"\nint f%d(void);
    int f%d(void) { return f%d(); }' $n $next $n $next >"src/low/f$n.c"
done
names "a circle of calls: src/low/f1, src/low/f2, src/low/f3" \
  "a circle of three files"

house
echo 'int top(void);' >src/high/top.h
echo 'int top(void) { return 5; }' >src/high/top.c
echo 'int top(void); int up(void) { return top(); }' >src/low/up.c
echo 'int up(void);' >src/low/up.h
names "src/low/up calls top, up to src/high/top" "a call up"

house
echo "local top = require 'high.top'" >src/low/up.lua
echo "local up = require('low.up')" >src/low/more.lua
echo 'return 5' >src/high/top.lua
names "src/low/up requires high.top, up to src/high/top" "a module of Lua"

house
echo 'int late(void);' >src/low/late.h
names "" "a header alone"
echo 'int late(void) { return 6; }' >src/low/late.c
rooms areas.lua >"$log" 2>&1
[ $? -eq 1 ] && grep -qF "src/low/late.c has no object in obj" "$log"
ok $? "a source that was not built" "$log"

house
echo 'int top(void);' >src/high/top.h
echo '#include "src/high/top.h"' >src/low/up.h
names "src/low/up includes src/high/top.h, up to src/high/top" \
  "an #include line up"
finish
