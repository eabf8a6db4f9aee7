# For the shell tests: TAP, and copies of the tree to do things to. Each test
# script begins with:  . tests/lib.sh
# shellcheck shell=sh

tap_number=0 tap_failures=0
# Copies of the tree compile nothing that the tree has compiled.
export CCACHE_DIR="${CCACHE_DIR:-$PWD/build/ccache}"

# ok CONDITION-EXIT-CODE NAME [DETAIL-FILE]
ok() {
  tap_number=$((tap_number + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tap_number - $2"
  else
    echo "not ok $tap_number - $2"
    tap_failures=$((tap_failures + 1))
    [ -z "${3:-}" ] || tail -n 15 "$3" | sed 's/^/#   /'
  fi
}

# skip NAME REASON
skip() {
  tap_number=$((tap_number + 1))
  echo "ok $tap_number - $1 # SKIP $2"
}

finish() {
  echo "1..$tap_number"
  [ $tap_failures -eq 0 ]
}

# The files that git knows or would; all, where the tree came without git.
tree_files() {
  git ls-files -co --exclude-standard 2>/dev/null ||
    find . -name build -prune -o -name '.?*' -prune -o -type f -print
}

# copy_sources FOLDER: the tree, and what setup installed
copy_sources() {
  mkdir -p "$1"
  tree_files | while read -r file; do
    [ ! -e "$file" ] || echo "$file"
  done | tar -cf - -T - | tar -xf - -C "$1"
  [ ! -d .deps ] || ln -s "$PWD/.deps" "$1/.deps"
}

# copy_tree FOLDER: these and what was built of default arms, so that the copy need
# not build it again. Tests run side by side: one that builds anything does so in a copy.
copy_tree() {
  copy_sources "$1"
  [ ! -d build ] || {
    mkdir -p "$1/build"
    tar -cf - --exclude=build/tests --exclude=build/book \
      --exclude=build/browser --exclude=build/ccache \
      --exclude='build/*/stage*/[A-Z]*' build | tar -xf - -C "$1"
  }
}

# enter_copy FOLDER: goes there, to a copy of the tree, with the environment of a
# reader's shell: the make that runs this test holds the lock of this tree.
enter_copy() {
  copy_tree "$1"
  enter "$1"
}

# enter_sources FOLDER: the same without what was built
enter_sources() {
  copy_sources "$1"
  enter "$1"
}

enter() {
  cd "$1" || exit 1
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LOCKED SHAPES ITERS JSON
}

# only_stage STAGE...: in a copy, the other stages are gone
only_stage() {
  for stage in stage[0-9]*_*; do
    case " $* " in
    *" $stage "*) ;;
    *) rm -rf "$stage" build/*/"$stage" ;;
    esac
  done
  stage=$1
}

# one_of_each STAGE: a setting of each toggle but the details. The others are
# tried in tests/more.
one_of_each() {
  tools/toggles/toggles.sh layer "$1" | while read -r name layer; do
    [ "$layer" = detail ] ||
      tools/toggles/toggles.sh others "$1" | grep -m 1 "^$name="
  done
}

# ends NAME EXIT-CODE TEXT COMMAND...: the command ends so and prints the text;
# all that it prints is in the file $log
ends() {
  name=$1 wanted=$2 text=$3
  shift 3
  "$@" >"${log:?}" 2>&1 </dev/null
  code=$?
  [ $code -eq "$wanted" ] && grep -qF -- "$text" "$log"
  ok $? "$name" "$log"
}
