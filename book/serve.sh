#!/bin/sh
# A local server for the built book: serve.sh [FOLDER [PORT]]
set -eu
folder=${1:-build/book/html}
port=${2:-8000}
command -v python3 >/dev/null || {
  echo "Serving needs python3; without it open $folder/index.html." >&2
  exit 3
}
echo "http://127.0.0.1:$port/ (Ctrl-C ends it)"
exec python3 -m http.server --bind 127.0.0.1 --directory "$folder" "$port"
