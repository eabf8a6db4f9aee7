#!/bin/sh
# A toggle reaches the arm's name, and nothing else does: each setting alone,
# in a stage whose toggles have all kinds of defaults.
set -u
. tests/lib.sh
here=$PWD
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT
mkdir "$folder/stage9_fake"
cat >"$folder/stage9_fake/kernel.cu" <<'END'
// toggle FIRST: 0 1
#ifndef FIRST
#define FIRST 1
#endif
// toggle SECOND: 1 2 16 (detail)
#ifndef SECOND
#define SECOND 16
#endif
// toggle THIRD: 0 1
#ifndef THIRD
#define THIRD 0
#endif
#if THIRD && (FIRST || SECOND < 2)
#error "THIRD=1 needs FIRST=0 and SECOND of 2 or more"
#endif
#include <never_found.h>
END
cd "$folder" || exit 1

arm() {
  wanted=$1
  shift
  "$here/tools/toggles/toggles.sh" arm stage9_fake "$@" >"$log" 2>&1
  [ "$(cat "$log")" = "$wanted" ]
  ok $? "arm of '$*'" "$log"
}
arm default
arm FIRST-0 FIRST=0
arm SECOND-1 SECOND=1
arm THIRD-1 THIRD=1
arm default FIRST=1
arm default SECOND=16 THIRD=0
arm FIRST-0.THIRD-1 THIRD=1 FIRST=0
arm FIRST-0.SECOND-2.THIRD-1 FIRST=0 THIRD=1 SECOND=2
arm SECOND-1.THIRD-1 SECOND=1 THIRD=1

"$here/tools/toggles/toggles.sh" list stage9_fake >"$log"
[ "$(paste -s -d , "$log")" = "FIRST 1 0 1,SECOND 16 1 2 16,THIRD 0 0 1" ]
ok $? "the values are listed, without the layer" "$log"
"$here/tools/toggles/toggles.sh" others stage9_fake >"$log"
[ "$(paste -s -d , "$log")" = "FIRST=0,SECOND=1,SECOND=2,THIRD=1" ]
ok $? "the settings that are no defaults" "$log"
"$here/tools/toggles/toggles.sh" layer stage9_fake >"$log"
[ "$(paste -s -d , "$log")" = "FIRST structure,SECOND detail,THIRD structure" ]
ok $? "the layers" "$log"
! "$here/tools/toggles/toggles.sh" allowed stage9_fake THIRD=1 2>"$log" &&
  [ "$(cat "$log")" = "THIRD=1 needs FIRST=0 and SECOND of 2 or more" ]
ok $? "what the kernel rules out, in its own words" "$log"
"$here/tools/toggles/toggles.sh" allowed stage9_fake THIRD=1 FIRST=0 2>"$log"
ok $? "what it allows" "$log"
finish
