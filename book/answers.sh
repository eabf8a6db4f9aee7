#!/bin/sh
# Prints where a folder has what an earlier build of the book found out. It
# holds as long as the programs that found it are the same: these are in its
# name.
#   answers.sh FOLDER
set -eu
folder=$1
CDPATH='' cd "$(dirname "$0")"
# shellcheck disable=SC2046 # a path a line, or none
stamp=$(cat ../tools/setup/pins.conf lib/code/highlight.lua \
  lib/read/commonmark.lua lib/common/cache.lua lib/code/difference.lua \
  lib/data/json.lua lib/data/kept_json.lua lib/data/figures.lua \
  lib/read/plain_paragraphs.lua \
  lib/write/plain_text.lua lib/write/search_index.lua lib/code/arms.lua \
  syntax/*.xml katex.js widget-picture.js widgets/*.js \
  $(./katex-folder.sh | sed 's,$,/package.json,') | cksum | tr -d ' ')
echo "$folder/answers-$stamp"
