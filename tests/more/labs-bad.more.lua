#!tests/lua.sh
-- What is no kernel, handed in for one: each is stopped or refused in a
-- sentence, and the reader's file is as it was. Two graders at once; a disk
-- that is full; a grade that was cut off.
-- takes: 120 s
local test = dofile 'tests/lib.lua'
test.enter_copy 'sources'
test.must 'make -s -j2 build/tests/plant'
local labs = dofile 'tests/labs/lab.lua'
local lab = labs.of(test, 'lab2')
test.environment.LAB_NVCC = '0'
test.environment.LAB_SECONDS = '3'

local LAUNCH, SUPPORT = 'launch: 1st LAUNCH', 'launch: stage_support ='
for _, bad in ipairs {
  {'it does not compile', 'p-times-v: __syncthreads', 'write __syncthread();',
    'compiles', "‘__syncthread’ was not declared"},
  {'a loop without an end before the launch', LAUNCH, 'before for (;;) ;',
    'gates', 'does a loop never end?'},
  {'a loop without an end in the kernel', 'p-times-v: __syncthreads',
    'before for (;;) ;', 'gates', 'does a loop never end?'},
  {'a write outside of the output', 'store-output: uint16_t *o =',
    'args.o + head_start => args.o - (1 << 28) + head_start',
    'gates race tensor_instructions',
    'outside global memory'},
  {'a write outside of shared memory', 'softmax-exponentials: tile_p[row]',
    'tile_p[row] => tile_p[row + 4000]', 'gates race tensor_instructions',
    'outside global memory'},
  {'it ends the program', LAUNCH, 'before extern void exit(int); exit(0);',
    'admitted', 'calls exit, which no kernel needs'},
  {'it starts a process', LAUNCH, 'before extern int fork(); fork();',
    'admitted', 'calls fork, which no kernel needs'},
  {'ten gigabytes', LAUNCH,
    'before static char *volatile p; p = new char[10ull << 30];', 'admitted',
    'calls operator new[](unsigned long), which no kernel needs'},
  {'ten gigabytes without asking', SUPPORT,
    'before char all[10ull << 30];', 'compiles', 'relocation truncated'},
  {'a constructor', SUPPORT, 'before ' ..
    '__attribute__((constructor)) static void patch() { asm volatile(""); }',
    'admitted', 'does something before it is launched'},
  {'a constructor where races are looked for', SUPPORT,
    'before #ifdef __SANITIZE_THREAD__\\n__attribute__((constructor)) ' ..
    'static void patch() { asm volatile(""); }\\n#endif\\n', 'admitted',
    'does something before it is launched'},
  {'it writes the grade', LAUNCH,
    'before extern int system(const char *); system("true");', 'admitted',
    'calls system, which no kernel needs'},
  {'the checks turned off', LAUNCH,
    'before extern void simt_set_checks(unsigned); simt_set_checks(0);',
    'admitted', 'calls simt_set_checks, which no kernel needs'},
} do
  local text = lab.edited(bad[2], bad[3])
  lab.refused(bad[1], text, bad[4], bad[5])
  test.ok(test.read(lab.kernel) == text, '  and the file is as it was')
end

-- A reader may think that his P needs less room; the book's kernel decides.
local coarse = lab.edited('softmax-exponentials: tile_p[row]',
  '= p => = static_cast<float>(__nv_fp8_e4m3(p))')
lab.refused('P in eight bits', coarse, 'gates', 'rel_rms')
lab.refused('and a support that says so', (coarse:gsub('P_HALF', 'P_E4M3')),
  'gates', 'rel_rms')

test.write(lab.kernel, lab.solution)
test.write(lab.folder .. '/grade.json', '{"lab": "lab2", "dem')
local said = test.ends('a grade that was cut off is written anew', 0,
  'lab2 is passed.', 'make lab2 grade')
test.ok((test.json(lab.folder .. '/grade.json') or {}).passed, '  whole', said)
test.ends('two graders at once', 0, 'both', [[
  make lab2 grade >one 2>&1 & first=$!
  make lab2 grade >two 2>&1; second=$?
  wait $first && [ $second = 0 ] && echo both; cat one two]])
test.ok((test.json(lab.folder .. '/grade.json') or {}).passed,
  '  and the grade is whole')
said = test.sh [[rm -rf build/cpu/lab2 build/instrumented/lab2
  CCACHE_DISABLE=1 exec bash -c "trap '' XFSZ; ulimit -f 40; make lab2 grade"]]
test.ok(test.has(said, 'full'), 'a disk that is full while it builds', said)
test.ok(test.read(lab.kernel) == lab.solution, '  and the file is as it was')

-- Graded again at each save.
test.write(lab.kernel, lab.skeleton)
test.write('solution', lab.solution)
said = test.sh([[
  graded() {
    for _ in $(seq 400); do
      [ "$(grep -c 'Save kernel.cu' watched)" != "$1" ] || return
      sleep 0.3
    done
  }
  setsid make lab2 watch >watched 2>&1 &
  graded 1; cp solution "$1"; graded 2
  kill -- -$!
  cat watched]], lab.kernel)
local first, second = said:find 'lab2 is not passed', said:find 'lab2 is passed'
test.ok(first and second and first < second,
  'watch grades at the start and at each save', said)
test.finish()
