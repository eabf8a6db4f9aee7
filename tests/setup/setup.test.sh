#!/bin/sh
# What setup.sh installs and says, with a pip, an apt-get and an id that are
# fake: each call to one of them is a line in $scratch/calls.
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"
fake_packages
export scratch
setup=tools/setup.sh deps=$tree/.deps calls=$scratch/calls
: >"$calls"

fake_toolkit "$scratch/wheel" 13.0
mv "$scratch/wheel/lib64" "$scratch/wheel/lib"
fake_python() {
  fake python3 <<'PYTHON'
[ "$*" != - ] || exit 0
[ "$*" != "-m pip --version" ] || exit 0
while [ "$1" != --target ]; do shift; done
read -r requirement _ <"$4"
echo "pip $requirement" >>"$scratch/calls"
case $requirement in "$(cat "$scratch/hang" 2>/dev/null)"*) exec sleep 60 ;; esac
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 1; }
mkdir -p "$2/nvidia/cu13"
case $requirement in
nvidia-cuda-nvcc*) cp -R "$scratch/wheel/bin" "$2/nvidia/cu13" ;;
nvidia-cuda-runtime*)
  cp -R "$scratch/wheel/include" "$scratch/wheel/lib" "$2/nvidia/cu13" ;;
esac
PYTHON
}
fake_python
fake apt-get <<'APT'
echo "apt-get $*" >>"$scratch/calls"
[ ! -e "$scratch/apt-error" ] || { cat "$scratch/apt-error"; exit 100; }
case " $* " in *" install "*pandoc*) ln -sf gcc "${0%/*}/pandoc" ;; esac
APT
echo 'echo "  Candidate: 1.0"' | fake apt-cache
user() { echo "echo $1" | fake id; }
called() { grep -Eq -- "$1" "$calls"; }
not_called() { ! called "$1"; }
downloads() { [ "$(grep -c '^pip' "$calls")" -eq "$1" ]; }
anew() { rm -rf "$deps"; : >"$calls"; }
wait_for() {
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    called "$1" && return
    sleep 0.1
  done
}

# ---- the toolkit ------------------------------------------------------------

user 1000
run $setup
ok 'first run: exit 0' exits 0
ok 'first run: says each part' says 'part 6: nvidia-nvvm'
ok 'first run: six downloads' downloads 6
ok 'first run: lib64 is there' test -e "$deps/cuda/lib64/libcudart_static.a"
run tools/cuda-home.sh
ok 'first run: a toolkit that cuda-home.sh takes' is "$deps/cuda"
run $setup
ok 'second run: one line' is 'Everything is here.'
ok 'second run: no download' downloads 6

sed -i 's/nvidia-nvtx 13/nvidia-nvtx 14/' "$tree/tools/pins.conf"
run $setup
ok 'a changed pin: installed anew' called 'pip nvidia-nvtx==14'
sed -i 's/nvidia-nvtx 14/nvidia-nvtx 13/' "$tree/tools/pins.conf"

anew
run $setup --headers-only
ok 'headers only: four downloads' downloads 4
run $setup --headers-only
ok 'headers only, second run: one line' is 'Everything is here.'
run $setup
ok 'all of it after headers only' test -e "$deps/cuda/bin/nvcc"

anew
fake_toolkit "$scratch/cuda-13.1" 13.1
run env CUDA_HOME="$scratch/cuda-13.1" $setup
ok 'a good toolkit here: one line' is 'Everything is here.'
ok 'a good toolkit here: no download' downloads 0

# ---- interrupted, one way and the other -------------------------------------

anew
echo nvidia-cuda-nvcc >"$scratch/hang"
(cd "$tree" && PATH=$bin exec $setup >/dev/null 2>&1) &
wait_for nvidia-cuda-nvcc
run tools/cuda-home.sh --headers
ok 'half way: nothing that looks finished' exits 3
kill -TERM $!
wait $! 2>/dev/null
code=$?
ok 'stopped: exit 130' exits 130
rm "$scratch/hang"
: >"$calls"
run $setup
ok 'after the stop: exit 0' exits 0
ok 'after the stop: only what was missing' downloads 2

anew
echo nvidia-nvvm >"$scratch/hang"
sed -i 's/exec sleep 60/sleep 1; exit 1/' "$bin/python3"
(cd "$tree" && PATH=$bin exec $setup >/dev/null 2>&1) &
wait_for nvidia-nvvm
kill -KILL $!
wait $! 2>/dev/null
rm "$scratch/hang"
: >"$calls"
run $setup
ok 'killed: the next waits for what still runs' says 'Another setup runs'
ok 'killed: only the last part again' downloads 1
ok 'killed: exit 0' exits 0
fake_python

# ---- errors -----------------------------------------------------------------

# fails NAME PIP'S-WORDS SENTENCE
fails() {
  anew
  echo "$2" >"$scratch/error"
  run $setup
  rm "$scratch/error"
  ok "$1: exit 1" exits 1
  ok "$1: says so" says "$3"
}
fails 'no network' 'ERROR: No matching distribution found for x' 'The network did'
fails 'disk full' '[Errno 28] No space left on device' 'The disk is full'
fails 'another file' 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES' \
  'not the pinned one'
anew
echo 'exit 1' | fake g++
run $setup
echo 'exit 0' | fake g++
ok 'a toolkit that does not compile: exit 1' exits 1
ok 'a toolkit that does not compile: says so' says 'does not compile'
ok 'a toolkit that does not compile: not left' test ! -e "$deps/cuda"
anew
mv "$bin/python3" "$scratch/python3"
sed -i 's|/usr/bin/python3|no-python|' "$tree/tools/probes.sh"
run $setup
ok 'no Python: exit 3' exits 3
ok 'no Python: names the package' says 'install.* python3-venv'
mv "$scratch/python3" "$bin/python3"
run $setup sideways
ok 'an unknown group: exit 2' exits 2

# ---- Debian packages --------------------------------------------------------

anew
rm "$bin/pandoc"
run $setup
ok 'not root: the line for an administrator' \
  says 'sudo apt-get install -y --no-install-recommends pandoc$'
ok 'not root: apt-get is not called' not_called apt-get
ok 'not root: the toolkit all the same' downloads 6
ok 'not root, the book is optional: exit 0' exits 0
run $setup book
ok 'not root, the book asked for: exit 3' exits 3
user 0
echo 'E: Failed to fetch' >"$scratch/apt-error"
run $setup
ok 'root without network: exit 1' exits 1
ok 'root without network: says so' says 'The network did not'
rm "$scratch/apt-error"
run $setup
ok 'root: installs' called 'apt-get .*install --no-install-recommends pandoc'
ok 'root: exit 0' exits 0
run $setup
ok 'root, second run: one line' is 'Everything is here.'
rm "$bin/chromium" "$bin/pandoc"
fake apt-cache <<'CACHE'
[ "$2" = chromium ] || echo '  Candidate: 1.0'
CACHE
run $setup
ok 'a package that apt does not know' says 'apt has no package chromium'
ok 'the others are installed' test -e "$bin/pandoc"
plan
