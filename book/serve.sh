#!/bin/sh
# Builds the book, and serves it on this machine: serve.sh FOLDER PORT
set -eu
folder=$1 port=$2
command -v python3 >/dev/null || {
  echo "Serving needs python3; without it 'make book' and open" \
    "$folder/index.html." >&2
  exit 3
}
# Before the minutes that the book takes.
python3 - "$port" 2>/dev/null <<'PYTHON' || {
import socket
import sys
with socket.socket() as server:
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", int(sys.argv[1])))
PYTHON
  echo "Port '$port' is taken, or is none: name another, as in PORT=8001." >&2
  exit 2
}
"$(dirname "$0")/build.sh" . "$folder"
echo "http://127.0.0.1:$port/ (Ctrl-C ends it)"
exec python3 -m http.server --bind 127.0.0.1 --directory "$folder" "$port"
