#!tests/lua.sh
-- What is not run: objects that hold more than a kernel. How programs are
-- stopped that do run. And that a judge takes no outputs that are not there.
-- takes: 10 s
local test = dofile 'tests/lib.lua'
local admit = dofile 'tools/labs/admit.lua'
local here = test.scratch

-- What `admit` says of a C++ text.
local function fault(text)
  test.write(here .. '/x.cc', text)
  test.must('g++ -O1 -c -o "$1/x.o" "$1/x.cc"', here)
  return admit.fault(here .. '/x.o', 0) or 'nothing'
end
local function refused(name, words, text)
  local said = fault(text)
  test.ok(said == words, name .. ': ' .. words, said)
end

refused('a kernel', 'nothing', [[
#include <math.h>
extern "C" void simt_syncthreads();
extern "C" const char stage_toggles[] = "";
float helper(float x) { return expf(x); }
extern "C" int stage_launch() { simt_syncthreads(); return helper(3); }]])
refused('ends the program', 'calls exit, which no kernel needs', [[
#include <stdlib.h>
extern "C" int stage_launch() { exit(0); }]])
refused('starts another', 'calls fork, which no kernel needs', [[
#include <unistd.h>
extern "C" int stage_launch() { return fork(); }]])
refused('writes a grade', 'calls fopen, which no kernel needs', [[
#include <stdio.h>
extern "C" int stage_launch() { return !fopen("grade.json", "w"); }]])
refused('ten gigabytes', 'calls malloc, which no kernel needs', [[
#include <stdlib.h>
void *volatile p;
extern "C" int stage_launch() { p = malloc(10ul << 30); return 0; }]])
refused('the same in C++',
  'calls operator new[](unsigned long), which no kernel needs', [[
char *volatile p;
extern "C" int stage_launch() { p = new char[10ul << 30]; return 0; }]])
refused('turns the checks off', 'calls simt_set_checks, which no kernel needs',
  [[extern "C" void simt_set_checks(unsigned);
extern "C" int stage_launch() { simt_set_checks(0); return 0; }]])
local OUTSIDE = 'does something before it is launched or after the ' ..
  "program's end"
refused('before main', OUTSIDE, [[
int volatile patched;
__attribute__((constructor)) static void patch() { patched = 1; }
extern "C" int stage_launch() { return patched; }]])
refused('behind main', OUTSIDE, [[
int volatile patched;
__attribute__((destructor)) static void patch() { patched = 1; }
extern "C" int stage_launch() { return patched; }]])
refused('a variable that is computed', OUTSIDE, [[
int f();
int f() { static int volatile x; return x + 1; }
int first = f();
extern "C" int stage_launch() { return first; }]])
refused('in the place of the C library',
  "defines fwrite, a name that is not a kernel's to give", [[
extern "C" unsigned long fwrite(const void *, unsigned long n, unsigned long,
                                void *) { return n; }
extern "C" int stage_launch() { return 0; }]])
refused('an operator of its own', 'defines operator new(unsigned long), a ' ..
  "name that is not a kernel's to give", [[
void *operator new(unsigned long) { static char x[8]; return x; }
extern "C" int stage_launch() { return 0; }]])
refused('the system, by hand', 'calls the system itself', [[
extern "C" int stage_launch() {
  long r;
  asm volatile("syscall" : "=a"(r) : "a"(60), "D"(0) : "rcx", "r11");
  return r;
}]])
refused('chosen while it is loaded', 'chooses a function while it is loaded',
  [[extern "C" {
static int one() { return 1; }
static void *choose() { return (void *)one; }
int chosen() __attribute__((ifunc("choose")));
int stage_launch() { return chosen(); }
}]])

-- ---- limits ----

test.write(here .. '/own.c', [[
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  switch (*argv[argc - 1]) {
  case 'm': memset(malloc(400 << 20), 1, 400 << 20); sleep(5); return 0;
  case 'l': for (;;) {}
  case 's': *(volatile int *)8 = 1;
  case 'f': if (!fork()) sleep(60); usleep(50000); return 0;
  case 'g': if (!fork()) { setsid(); sleep(60); } usleep(50000); return 0;
  }
  return 7;
}
]])
test.must('gcc -O0 -o "$1/own" "$1/own.c"', here)
for letter, words in pairs {m = 'memory 0', l = 'time 0', s = 'signal 11',
    f = 'others 1 0', g = 'others 1 0', x = 'code 7'} do
  test.ends('a program that ends so: ' .. words, 0, words .. '\n',
    'build/tools/limited 1 200 "$1/log" "$1/own" ' .. letter, here)
end
test.ends('a command that is not there', 0, 'code 127\n',
  'build/tools/limited 1 200 "$1/log" /nowhere', here)
test.ends('its words go into a file', 0, 'said', [[
  build/tools/limited 1 200 "$1/log" sh -c 'echo said; echo so >&2' >/dev/null
  cat "$1/log"]], here)
test.ends('limited without a command', 2, 'It needs SECONDS',
  'build/tools/limited 1 200')

-- ---- outputs ----

local stage = 'build/cpu/stage2_wmma_pv/default/'
local cases = 'small/normal/7/2 1,2,17,64/zero-head/8/8'
local function judge(name, code, words, more)
  return test.ends(name, code, words, string.format(
    '%sjudge "$1/outputs" "$1/result" %s', stage, more or cases), here)
end
test.must('build/tools/draw "$1/inputs" ' .. cases, here)
test.must(stage .. 'attempt "$1/inputs" "$1/outputs"', here)
judge("the book's kernel passes", 0, 'small                1')
local result = test.json(here .. '/result')
test.ok(result and result.all_passed and result.cases == 2, '  in JSON as well')
judge('the answers to other questions do not', 1, '2 FAILED',
  'small/normal/9/2 small/normal/10/2')
local outputs = test.read(here .. '/outputs')
for _, bytes in ipairs {0, 100, 3000, #outputs - 2} do
  test.write(here .. '/outputs', outputs:sub(1, bytes))
  judge('an end after ' .. bytes .. ' bytes', 1,
    'The program ended before this output was put away.')
end
for _, case in ipairs {
  {'small/normal/7', 'it is SHAPE/DISTRIBUTION/SEED/MULTIPROCESSORS'},
  {'small/odd/7/2', "There is no distribution 'odd'."},
  {'small/normal/x/2', "'x' is no seed."},
  {'small/normal/7/0', "'0' is no number of multiprocessors."},
  {'tiny/normal/7/2', 'is no shape'},
} do
  judge('a case that is none: ' .. case[1], 2, case[2], case[1])
end
test.ends('inputs that cannot be written', 3, 'Cannot write /nowhere/x',
  'build/tools/draw /nowhere/x small/normal/7/2')
test.ends('a full disk', 3, 'cannot be written', 'exec bash -c "$1"',
  "trap '' XFSZ; ulimit -f 1; build/tools/draw " .. here ..
  '/inputs mission/normal/7/2')
test.ends('inputs that are cut off', 3, 'The file of inputs is cut off.',
  'head -c 100 "$1/inputs" >"$1/cut"; exec ' .. stage ..
  'attempt "$1/cut" "$1/outputs"', here)
test.finish()
