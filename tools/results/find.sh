# shellcheck shell=sh
# Where results are, and what they are called; sourced.

# result_name STAGE/ARM: its file's name without .json
result_name() {
  case $1 in
  */default) echo "${1%/default}" ;;
  *) echo "$1" | tr / . ;;
  esac
}

# result_folders ROOT: device/date folders and the parts in them, the newest date
# first: dates sort by name. The run of all stages comes before a part, which is
# one chapter's.
result_folders() {
  find "$1" -mindepth 2 -maxdepth 3 -type d 2>/dev/null |
    awk 'match($0, "/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9](/|$)") {
      print substr($0, RSTART + 1, 10), $0 }' |
    LC_ALL=C sort -k 1,1r -k 2,2 | cut -d ' ' -f 2
}
