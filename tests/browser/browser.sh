# shellcheck shell=sh
# For the tests in a browser, after tests/lib.sh.
# shellcheck source=tools/setup/present.sh
tools=$PWD/tools && . tools/setup/present.sh

# need_browser WHAT: sets chromium, and scratch, a folder that goes with the
# test; WHAT is skipped where something is not installed.
# shellcheck disable=SC2034
need_browser() {
  lacks=''
  tools/setup/pandoc.sh 2>/dev/null || lacks=pandoc
  chromium=$(command -v chromium) || lacks=chromium
  environment_here tests || lacks=Playwright
  [ -z "$lacks" ] || {
    skip "$1" "$lacks is not installed; make setup"
    finish
    exit
  }
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT TERM
}
