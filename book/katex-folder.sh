#!/bin/sh
# Prints the folder of KaTeX; fails where it is not installed.
export NODE_PATH="${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs"
exec node -p 'path.dirname(require.resolve("katex/package.json"))' 2>/dev/null
