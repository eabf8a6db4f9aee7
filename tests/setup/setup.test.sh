#!/bin/sh
# What setup.sh installs and says, with a pip, an apt-get and an id that are
# fake: each call to one of them is a line in $scratch/calls.
# takes: 12 s
# shellcheck source=tests/setup/tap.sh
. "$(dirname "$0")/tap.sh"
fake_packages
export scratch
setup=tools/setup/setup.sh deps=$tree/.deps calls=$scratch/calls
: >"$calls"

fake_toolkit "$scratch/wheel" 13.0
mv "$scratch/wheel/lib64" "$scratch/wheel/lib"
fake_python() {
  fake python3 <<'PYTHON'
[ "$*" != - ] || exit 0
[ "$*" != "-m pip --version" ] || exit 0
case $* in "-m venv "*)
  mkdir -p "$3/bin"
  PATH=$PATH:/usr/bin:/bin
  cp "$scratch/environment" "$3/bin/python"
  chmod +x "$3/bin/python"
  exit ;;
esac
while [ "$1" != --target ]; do shift; done
read -r requirement hash <"$4"
case ${#hash}$hash in 78--hash=sha256:*) ;; *) echo 'no hash'; exit 1 ;; esac
echo "pip $requirement" >>"$scratch/calls"
mkdir -p "$2/half"
case $requirement in "$(cat "$scratch/hang" 2>/dev/null || echo no)"*)
  exec sleep 60 ;;
esac
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 1; }
mkdir -p "$2/nvidia/cu13"
case $requirement in
nvidia-cuda-nvcc*) cp -R "$scratch/wheel/bin" "$2/nvidia/cu13" ;;
nvidia-cuda-nvdisasm*)
  mkdir -p "$2/nvidia/cu13/bin"
  cp "$scratch/wheel/bin/nvcc" "$2/nvidia/cu13/bin/nvdisasm" ;;
pypandoc_binary*)
  mkdir -p "$2/pypandoc/files"
  cp "$scratch/wheel/bin/nvcc" "$2/pypandoc/files/pandoc" ;;
nvidia-cuda-runtime*)
  cp -R "$scratch/wheel/include" "$scratch/wheel/lib" "$2/nvidia/cu13" ;;
esac
PYTHON
}
cat >"$scratch/environment" <<'PYTHON'
#!/bin/sh
while [ "$1" != -r ]; do shift; done
sed 's/^/environment /' "$2" >>"$scratch/calls"
[ ! -e "$scratch/error" ] || { cat "$scratch/error"; exit 1; }
PYTHON
fake_python
fake apt-get <<'APT'
echo "apt-get $*" >>"$scratch/calls"
[ ! -e "$scratch/apt-error" ] || { cat "$scratch/apt-error"; exit 100; }
bin=${0%/*}
[ "$3 $4" != "-o DPkg::Lock::Timeout=120" ] || shift 4
case $1 in
update)
  [ ! -e "$scratch/update-error" ] || { echo 'E: no Release'; exit 100; } ;;
install)
  shift 2
  for package in "$@"; do
    [ "$package$(ls "$scratch/no-qpdf" 2>/dev/null)" = \
      "qpdf$scratch/no-qpdf" ] || ln -sf gcc "$bin/$package"
  done ;;
esac
APT
echo 'echo "  Candidate: 1.0"' | fake apt-cache
wheels=$(grep -c '^wheel' "$tree/tools/setup/pins.conf")
headers=$(grep -c '^wheel headers' "$tree/tools/setup/pins.conf")
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
holds 'first run: exit 0' exits 0
holds 'first run: says each part' says 'part 6: nvidia-nvvm'
holds 'first run: one download a wheel' downloads "$wheels"
holds 'first run: lib64 is there' test -e "$deps/cuda/lib64/libcudart_static.a"
run tools/setup/cuda-home.sh
holds 'first run: a toolkit that cuda-home.sh takes' is "$deps/cuda"
run $setup
holds 'second run: one line' is 'Everything is here.'
holds 'second run: no download' downloads "$wheels"

sed -i 's/nvidia-nvtx 13/nvidia-nvtx 14/' "$tree/tools/setup/pins.conf"
run $setup
holds 'a changed pin: installed anew' called 'pip nvidia-nvtx==14'
sed -i 's/nvidia-nvtx 14/nvidia-nvtx 13/' "$tree/tools/setup/pins.conf"

anew
run $setup --headers-only
holds 'headers only: fewer downloads' downloads $((headers + 1))
run $setup --headers-only
holds 'headers only, second run: one line' is 'Everything is here.'
run $setup
holds 'all of it after headers only' test -e "$deps/cuda/bin/nvcc"

anew
fake_toolkit "$scratch/cuda-13.1" 13.1
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'a toolkit without nvdisasm: fetched alone' called 'pip nvidia-cuda-nvd'
holds 'a toolkit without nvdisasm: it and pandoc' downloads 2
run env CUDA_HOME="$scratch/cuda-13.1" tools/setup/disassembler.sh
holds 'a toolkit without nvdisasm: found' \
  is "$deps/disassembler/bin/nvdisasm"
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'a good toolkit here: one line' is 'Everything is here.'
holds 'a good toolkit here: no download' downloads 2

# ---- Python environments ----------------------------------------------------

browser=$deps/browser/stamp
holds 'the tests: Playwright, pinned' grep -qx 'playwright==[0-9.]*' "$browser"
holds 'the tests: Playwright is installed once' test "$(grep -c \
  '^environment playwright' "$calls")" -eq 1
sed -i 's/playwright 1/playwright 2/' "$tree/tools/setup/pins.conf"
: >"$calls"
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'another Playwright: installed anew' called 'environment playwright==2'
holds 'another Playwright: exit 0' exits 0
sed -i 's/playwright 2/playwright 1/' "$tree/tools/setup/pins.conf"
echo 'ERROR: the moon is blue' >"$scratch/error"
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'Playwright fails, the tests are optional: exit 0' exits 0
holds 'Playwright fails: says so' says 'Missing or too old for tests: Playwri'
holds 'Playwright fails: nothing that looks finished' test ! -e "$browser"
run env CUDA_HOME="$scratch/cuda-13.1" $setup tests
holds 'Playwright fails, the tests asked for: exit 1' exits 1
rm "$scratch/error"
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'Playwright at the next try: exit 0' exits 0
holds 'PyTorch is not installed unasked' test ! -e "$deps/peers"

echo 'ERROR: the moon is blue' >"$scratch/error"
run env CUDA_HOME="$scratch/cuda-13.1" $setup peers
holds 'PyTorch that does not install: exit 1' exits 1
rm "$scratch/error"
run env CUDA_HOME="$scratch/cuda-13.1" $setup peers
holds 'PyTorch when asked for: exit 0' exits 0
holds 'PyTorch: the pinned one' grep -qx 'torch==[0-9.]*' "$deps/peers/stamp"
: >"$calls"
run env CUDA_HOME="$scratch/cuda-13.1" $setup peers
holds 'PyTorch is installed once' not_called 'torch'

# ---- the book's pandoc ------------------------------------------------------

pins=$tree/tools/setup/pins.conf
run tools/setup/pandoc.sh
holds 'pandoc is here: nothing is said' is ''
sed -i '/^wheel pandoc/s/1[.]17/1.18/' "$pins"
run tools/setup/pandoc.sh
holds 'another pandoc is pinned: exit 3' exits 3
echo 'ERROR: the moon is blue' >"$scratch/error"
run env CUDA_HOME="$scratch/cuda-13.1" $setup
holds 'pandoc fails, the book is optional: exit 0' exits 0
holds 'pandoc fails: says so' says 'Missing or too old for book: pandoc'
run env CUDA_HOME="$scratch/cuda-13.1" $setup book
holds 'pandoc fails, the book asked for: exit 1' exits 1
rm "$scratch/error"
: >"$calls"
run env CUDA_HOME="$scratch/cuda-13.1" $setup book
holds 'the other pandoc is fetched' called 'pip pypandoc_binary==1.18'
run tools/setup/pandoc.sh
holds 'and found' exits 0
holds 'the first one is gone' test ! -e "$deps/pypandoc_binary-1.17"
sed -i '/^wheel pandoc/s/1[.]18/1.17/' "$pins"
run env CUDA_HOME="$scratch/cuda-13.1" $setup book
holds 'the first one again: exit 0' exits 0

# ---- interrupted, one way and the other -------------------------------------

anew
echo nvidia-cuda-nvcc >"$scratch/hang" # the first after the headers
(cd "$tree" && PATH=$bin exec $setup >/dev/null 2>&1) &
wait_for nvidia-cuda-nvcc
run tools/setup/cuda-home.sh --headers
holds 'half way: nothing that looks finished' exits 3
kill -TERM $!
wait $! 2>/dev/null
code=$?
holds 'stopped: exit 130' exits 130
rm "$scratch/hang"
: >"$calls"
run $setup
holds 'after the stop: exit 0' exits 0
holds 'after the stop: only what was missing' downloads $((wheels - headers))

anew
echo nvidia-cuda-nvdisasm >"$scratch/hang" # the last one
# shellcheck disable=SC2016 # the fake expands it
sed -i 's|exec sleep 60|sleep 1; : >"$scratch/ended"; exit 1|' "$bin/python3"
(cd "$tree" && PATH=$bin exec $setup >/dev/null 2>&1) &
wait_for nvidia-cuda-nvdisasm
kill -KILL $!
wait $! 2>/dev/null
rm "$scratch/hang"
: >"$calls"
run $setup
holds 'killed: the next waits for what still runs' says 'Another setup runs'
holds 'killed: it did wait' test -e "$scratch/ended"
holds 'killed: only the last part again, and pandoc' downloads 2
holds 'killed: exit 0' exits 0
fake_python

# ---- errors -----------------------------------------------------------------

# fails NAME PIP'S-WORDS SENTENCE
fails() {
  anew
  echo "$2" >"$scratch/error"
  run $setup
  rm "$scratch/error"
  holds "$1: exit 1" exits 1
  holds "$1: says so" says "$3"
}
fails 'no network' 'ERROR: No matching distribution found for x' \
  'the network did not answer'
fails 'disk full' '[Errno 28] No space left on device' 'the disk is full'
fails 'another file' 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES' \
  'not the file that is pinned'
fails 'unknown to apt' 'E: Unable to locate package x' "apt's lists do not"
fails 'anything else' 'ERROR: the moon is blue' 'This failed: ERROR: the moon'
holds 'anything else: its log is kept' grep -q 'the moon' "$deps/failed.log"
anew
fake g++ <<'COMPILER'
[ "$1" = --version ] && echo 99.1
COMPILER
run $setup
echo 'echo 99.1' | fake g++
holds 'a toolkit that does not compile: exit 1' exits 1
holds 'a toolkit that does not compile: says so' says 'does not compile'
holds 'a toolkit that does not compile: not left' test ! -e "$deps/cuda"
anew
mv "$bin/python3" "$scratch/python3"
sed -i 's|/usr/bin/python3|no-python|' "$tree/tools/setup/present.sh"
run $setup
holds 'no Python: exit 3' exits 3
holds 'no Python: says what it takes' says 'takes a python3 of 3.10 or newer'
holds 'no Python: names the package' says 'install.* python3-venv'
mv "$scratch/python3" "$bin/python3"
run $setup sideways
holds 'an unknown group: exit 2' exits 2

# ---- Debian packages --------------------------------------------------------

anew
rm "$bin/qpdf"
run $setup
holds 'not root: the line for an administrator' \
  says 'sudo apt-get install -y --no-install-recommends qpdf$'
holds 'not root: apt-get is not called' not_called apt-get
holds 'not root: the toolkit all the same' downloads "$wheels"
holds 'not root, the book is optional: exit 0' exits 0
run $setup book
holds 'not root, the book asked for: exit 3' exits 3
rm "$bin/make"
run $setup
holds 'not root, several groups: still one line' \
  says 'sudo apt-get install -y --no-install-recommends make qpdf$'
holds 'not root, core lacks something: exit 3' exits 3
mv "$bin/apt-get" "$scratch"
run $setup
holds 'no apt-get: names the packages' says '^  make qpdf$'
mv "$scratch/apt-get" "$bin"

user 0
echo 'E: Failed to fetch' >"$scratch/apt-error"
run $setup
holds 'root without network: exit 1' exits 1
holds 'root without network: says so' says 'the network did not answer'
rm "$scratch/apt-error"
: >"$scratch/update-error"
run $setup
holds 'root: installs' called 'apt-get .*install --no-install-recommends qpdf'
holds 'root, a broken list elsewhere: exit 0' exits 0
holds 'root: make is installed before the book' test -e "$bin/make"
run $setup
holds 'root, second run: one line' is 'Everything is here.'
echo 'echo qpdf 2.9.2.1' | fake qpdf
run $setup
holds 'an old qpdf: asks apt for a newer one' \
  called 'apt-get .*install --no-install-recommends qpdf'

echo 'echo qpdf 2.9.2.1' | fake qpdf
echo 'E: held broken packages' >"$scratch/apt-error"
run $setup
holds 'only the book fails: its reason' says 'This failed: E: held broken'
holds 'only the book fails: exit 0' exits 0
rm "$scratch/apt-error"

rm "$bin/codespell"
: >"$scratch/no-qpdf"
echo 'echo qpdf 2.9.2.1' | fake qpdf
run $setup
holds 'qpdf stays old: says so' says 'too old for book: qpdf'
holds 'qpdf stays old: the next group all the same' test -e "$bin/codespell"
holds 'qpdf stays old: exit 0' exits 0
rm "$bin/chromium"
fake apt-cache <<'CACHE'
[ "$2" = qpdf ] || echo '  Candidate: 1.0'
CACHE
: >"$calls"
run $setup
holds 'a package that apt does not know is not asked for' not_called qpdf
holds 'the others are installed' test -e "$bin/chromium"
finish
