#!/bin/sh
# The runner of the tests itself: a program that fails, dies, says nothing or
# stops early is a failure, whatever runs beside it.
# never kept: strace does not run under strace
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT

# program NAME: a program from standard input
program() {
  { echo '#!/bin/sh' && cat; } >"$folder/$1"
  chmod +x "$folder/$1"
}
program good <<'END'
echo "ok 1 - one"; echo "ok 2 - two # SKIP no such thing here"; echo 1..2
END
program bad <<'END'
echo "ok 1 - one"; echo "not ok 2 - two"; echo "#   what it saw"; echo 1..2
exit 1
END
program short <<'END'
echo "ok 1 - one"; echo 1..2
END
program unplanned <<'END'
echo "ok 1 - one"
END
program silent </dev/null
program liar <<'END'
echo "ok 1 - one"; echo 1..1; exit 5
END
program killer <<'END'
kill -9 $PPID
END
program reader <<'END'
! read -r line && echo "ok 1 - nothing on its input"; echo 1..1
END

# runs NAME EXIT-CODE LAST-LINE TEXT PROGRAM...
runs() {
  name=$1 wanted=$2 last=$3 text=$4
  shift 4
  programs=
  for one in "$@"; do programs="$programs $folder/$one"; done
  # shellcheck disable=SC2086 # programs are words
  tests/run.sh $programs >"$log" 2>&1
  code=$?
  [ $code -eq "$wanted" ] && [ "$(tail -n 1 "$log")" = "$last" ] &&
    grep -qF -- "$text" "$log"
  ok $? "$name" "$log"
}
runs "a pass and a skip" 0 "1 passed, 0 failed, 1 skipped" \
  "skipped two # SKIP no such thing here" good
runs "a failure, and what it saw" 1 "1 passed, 1 failed, 0 skipped" \
  "#   what it saw" bad
runs "fewer tests than planned" 1 "1 passed, 1 failed, 0 skipped" \
  "ran 1 tests of 2" short
runs "no plan" 1 "1 passed, 1 failed, 0 skipped" "ran 1 tests of 0" unplanned
runs "no tests" 1 "0 passed, 1 failed, 0 skipped" "ran 0 tests of 0" silent
runs "an exit code against its word" 1 "1 passed, 1 failed, 0 skipped" \
  "exit code was 5" liar
runs "a program that is not there" 1 "0 passed, 1 failed, 0 skipped" \
  "exit code 127" nowhere
runs "no program" 1 "0 passed, 0 failed, 0 skipped" "0 passed"
runs "a runner that is killed" 1 "0 passed, 1 failed, 0 skipped" \
  "1 of 1 programs gave no result" killer
runs "an empty input" 0 "1 passed, 0 failed, 0 skipped" "passed" reader
runs "many at once" 1 "7 passed, 2 failed, 3 skipped" "FAILED" \
  good reader good liar good reader bad

# Each leaves a file while it runs, and looks for that of the other.
for name in one other; do
  program $name.sh <<END
touch "$folder/$name.runs"; sleep 1
[ -e "$folder/one.runs" ] && [ -e "$folder/other.runs" ] && echo "ok 1 - both"
sleep 1; echo 1..1; rm "$folder/$name.runs"
END
done
sed 's/^touch/# alone: it is timed\ntouch/' "$folder/one.sh" >"$folder/alone.sh"
chmod +x "$folder/alone.sh"
export JOBS=2
runs "two run side by side" 0 "2 passed, 0 failed, 0 skipped" passed \
  one.sh other.sh
runs "but not beside one that runs alone" 1 "0 passed, 2 failed, 0 skipped" \
  "ran 0 tests of 1" alone.sh other.sh
JOBS=1
for name in short long; do
  program $name.sh <<END
echo $name >>"$folder/order"; echo "ok 1 - $name"; echo 1..1
END
done
sed -i '2i # takes: 60 s' "$folder/long.sh"
runs "two that differ in length" 0 "2 passed, 0 failed, 0 skipped" passed \
  short.sh long.sh
[ "$(paste -s -d , "$folder/order")" = long,short ]
ok $? "  the longer one runs first"
mkdir "$folder/thing1" "$folder/thing2"
program each.sh <<END
# for each $folder/thing?
echo "ok 1 - \$1"; [ -d "\$1" ]; echo 1..1
END
runs "a script that is run for each of two" 0 "2 passed, 0 failed, 0 skipped" \
  "each.sh $folder/thing2: 1 in" each.sh
tests/run.sh "$folder/each.sh" "$folder/thing1" >"$log" 2>&1
[ "$(tail -n 1 "$log")" = "1 passed, 0 failed, 0 skipped" ]
ok $? "  or for one of them" "$log"
runs "nor where JOBS=1" 1 "0 passed, 2 failed, 0 skipped" \
  "ran 0 tests of 1" one.sh other.sh

# ---- outcomes that are kept ----
unset JOBS CI
enter_copy "$folder/tree"
mkdir tests/kept
cat >tests/kept/reader.test.sh <<'END'
#!/bin/sh
. tests/lib.sh
enter_copy "$(mktemp -d)"
grep -q good tests/kept/data
ok $? "the data is good"
skip "another" "none here"
finish
END
chmod +x tests/kept/reader.test.sh
echo good >tests/kept/data
echo other >tests/kept/nobodys
touch -d '1 hour ago' tests/kept/*
# again NAME WORD [SETTING]: the line of that test begins with this word
again() {
  env ${3:+"$3"} tests/run.sh tests/kept/reader.test.sh >"$log" 2>&1
  grep -q "^$2 *tests/kept/reader.test.sh" "$log"
  ok $? "$1" "$log"
}
if command -v strace >/dev/null; then
  again "run" passed
  again "kept" kept
  [ "$(tail -n 1 "$log")" = "1 passed, 0 failed, 1 skipped" ] &&
    grep -q '^skipped another # SKIP none here' "$log"
  ok $? "  with its skips" "$log"
  again "not where CI is set" passed CI=true
  echo another >tests/kept/nobodys
  again "kept where a file changed that it did not read" kept
  echo "good again" >tests/kept/data
  again "run again where one changed that it read in a copy" passed
  echo bad >tests/kept/data
  again "a failure" FAILED
  again "is not kept" FAILED

  echo good >tests/kept/data
  touch -d '1 hour ago' tests/kept/data
  recorded() {
    build/tests/run --records records "$@" tests/kept/reader.test.sh
  }
  ends "a record is left" 0 "passed  tests/kept/reader" recorded
  ends "and holds" 0 "kept    tests/kept/reader" recorded
  ends "  as check-all says" 0 "ok 1 - tests/kept/reader.test.sh: 1 passed" \
    recorded --look
  echo "good again" >tests/kept/data
  ends "a stale one is skipped" 0 "SKIP stale: make check-more: tests/kept/data" \
    recorded --look
  export RELEASE=1
  ends "but not for a release" 1 "not ok 1 - tests/kept/reader.test.sh" \
    recorded --look
else
  skip "outcomes that are kept" "strace is not installed; make setup"
fi
finish
