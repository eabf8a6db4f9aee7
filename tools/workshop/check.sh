#!/bin/sh
# Is this machine ready for a class? Prints one line of JSON:
#   check.sh FOLDER PROGRAM
# The line is written to FOLDER/check.json as well. PROGRAM prints the seconds
# that one launch takes on the executor; make builds it where that can be.
# Exit 0 if labs can be done here, 3 if not.
set -u
folder=$1 program=$2
words=$(tools/doctor/doctor.sh --words)

value_of() {
  printf '%s\n' "$words" | sed -n "s/^$1 //p"
}

# A JSON string; control characters are left out.
string() {
  printf '"%s"' "$(printf %s "$1" | tr -d '\000-\037' |
    sed 's/[\\"]/\\&/g')"
}

strings() {
  comma=
  for word; do
    printf %s "$comma"
    string "$word"
    comma=,
  done
}

# The best of three launches, or nothing where one fails or takes a minute.
seconds() {
  for _ in 1 2 3; do
    timeout 60 "$program" || return
  done >"$log" 2>&1 && sort -n "$log" | head -n 1 |
    grep -xE '[0-9]+\.[0-9]+'
}

labs_need() {
  lacking=
  for name in unifdef python3; do
    case " $(value_of missing) " in
    *" $name "*) lacking="$lacking${lacking:+ and }$name" ;;
    esac
  done
  echo "Labs need ${lacking:-unifdef and python3}."
}

log=$(mktemp) || {
  echo "No temporary file can be made: the disk may be full." >&2
  exit 3
}
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM HUP

took=null why='' type='' can=''
if [ -n "$(value_of executor)" ]; then
  if ! "${MAKE:-make}" --no-print-directory -s LOCKED=1 "$program" \
      >"$log" 2>&1; then
    why="The executor does not build: $(grep -m 1 -i error "$log" ||
      tail -n 1 "$log")"
  elif ! took=$(seconds); then
    took=null
    why="A launch on the executor failed: $(tail -n 1 "$log")"
  fi
else
  why="The CPU executor lacks something."
fi

ready=false
if [ "$took" = null ]; then
  type='make setup, then make doctor'
elif [ -z "$(value_of labs)" ]; then
  why=$(labs_need) type='make setup'
else
  ready=true type='make labw'
fi
for name in executor labs book nvcc gpu; do
  [ -z "$(value_of $name)" ] || can="$can $name"
done
[ "$took" != null ] || can=$(echo " $can" | sed 's/ executor//; s/ labs//')

gpu=null
[ -z "$(value_of gpu)" ] || gpu=$(string "$(value_of gpu)")
# shellcheck disable=SC2046,SC2086 # lists of words
line=$(printf '{"workshop_check":1,"ready":%s,"can":[%s],"seconds":%s,' \
  $ready "$(strings $can)" "$took"
printf '"cores":%d,"machine":%s,"gpu":%s,"missing":[%s],' "$(nproc)" \
  "$(string "$(uname -m)")" "$gpu" "$(strings $(value_of missing))"
printf '"why":%s,"type":%s}' "$(string "$why")" "$(string "$type")")
[ $ready = false ] || echo "Ready. Send $folder/check.json, which holds this" \
  "line." >&2
printf '%s\n' "$line"

keep() {
  mkdir -p "$folder" && printf '%s\n' "$line" >"$folder/check.json.new" &&
    mv "$folder/check.json.new" "$folder/check.json"
}
keep 2>/dev/null || {
  rm -f "$folder/check.json.new" 2>/dev/null
  echo "Cannot write $folder/check.json: copy the line above by hand." >&2
  exit 3
}
[ $ready = true ] || exit 3
