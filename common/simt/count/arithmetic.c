/* Floating-point operations by source line. gcc's -fsanitize-coverage=trace-pc
 * calls the function below at the start of each basic block; what a block
 * computes is read from the program's own machine code, once, by objdump. */

#include "common/simt/count/count.h"
#include "common/simt/run/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char __executable_start, etext; /* of the program, from the linker */

/* One number an address of the code. */
static void prepare(block *b) {
  const size_t length = (size_t)(&etext - &__executable_start);
  const bool counts = b->checks & SIMT_COUNTS;
  if (counts && !b->passes) b->passes = calloc(length, sizeof *b->passes);
  if (counts && !b->passes) abort();
  b->counting = counts ? b->passes : NULL;
}

static void clear(block *b) {
  free(b->passes);
  b->passes = b->counting = NULL;
}

mechanism arithmetic_counter = {
    .name = "arithmetic", .prepare = prepare, .clear = clear};

static size_t place_of(uint32_t pc) {
  return pc - (uintptr_t)&__executable_start;
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void __sanitizer_cov_trace_pc(void) {
  block *b = simt_here;
  if (b && b->counting) b->counting[place_of(CALLER)]++;
}

static uint64_t passes_of_all(uint32_t pc) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < launch_worker_count; i++)
    if (launch_workers[i]->passes)
      sum += launch_workers[i]->passes[place_of(pc)];
  return sum;
}

/* The first and the last block that was passed; false where none was. */
static bool range(uint32_t *first, uint32_t *last) {
  const uint32_t low = (uint32_t)(uintptr_t)&__executable_start;
  const uint32_t high = (uint32_t)(uintptr_t)&etext;
  *first = UINT32_MAX;
  *last = 0;
  for (uint32_t i = 0; i < launch_worker_count; i++) {
    const uint64_t *passes = launch_workers[i]->passes;
    for (uint32_t pc = low; passes && pc < high; pc++) {
      if (!passes[pc - low]) continue;
      if (pc < *first) *first = pc;
      if (pc > *last) *last = pc;
    }
  }
  return *last > 0;
}

/* ---- what the code between two addresses computes ---- */

typedef struct {
  uint32_t pc;
  uint8_t operations;
  bool ends_block;
} step;

static struct {
  step *steps;
  size_t count;
  uint32_t first, last;
} code;

static void append(step s) {
  if ((code.count & (code.count - 1)) == 0) {
    const size_t room = code.count ? 2 * code.count : 1;
    code.steps = realloc(code.steps, room * sizeof *code.steps);
    if (!code.steps) abort();
  }
  code.steps[code.count++] = s;
}

/* Operations of one x86-64 instruction: a sum, a product, a quotient or a root
 * of one float or double, or a call of fmaf. */
static uint8_t operations(const char *name, const char *operands) {
  static const char *const one[] = {"add", "sub", "mul", "div", "sqrt"};
  if (!strncmp(name, "call", 4)) return strstr(operands, "<fmaf") ? 2 : 0;
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const size_t length = strlen(one[i]);
    if (!strncmp(name, one[i], length) &&
        (!strcmp(name + length, "ss") || !strcmp(name + length, "sd")))
      return 1;
  }
  return 0;
}

static FILE *disassembly(uint32_t first, uint32_t last) {
  enum { TAIL = 4096 }; /* the last block ends somewhere behind its start */
  char path[4096], command[256];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = '\0';
  setenv("SIMT_PROGRAM", path, 1);
  snprintf(command, sizeof command,
           "exec objdump -d --no-show-raw-insn --start-address=%u "
           "--stop-address=%u \"$SIMT_PROGRAM\" 2>/dev/null",
           first, last + TAIL);
  return popen(command, "r");
}

/* A block ends where the next one begins, or after a jump away. */
static bool read_code(uint32_t first, uint32_t last) {
  if (code.count > 0 && first >= code.first && last <= code.last) return true;
  code.count = 0;
  FILE *in = disassembly(first, last);
  char line[512];
  while (in && fgets(line, sizeof line, in)) {
    char name[32], operands[256] = "";
    unsigned long address;
    if (sscanf(line, " %lx: %31s %255[^\n]", &address, name, operands) < 2)
      continue;
    append((step){.pc = (uint32_t)address,
                  .operations = operations(name, operands),
                  .ends_block = !strcmp(name, "jmp") || !strcmp(name, "ret") ||
                                strstr(operands, "<__sanitizer_cov_trace_pc")});
  }
  code.first = first;
  code.last = last;
  return in && pclose(in) == 0;
}

#if defined(__x86_64__)
static const bool can_decode = true;
#else
static const bool can_decode = false;
#endif

bool arithmetic_read(arithmetic_list *list) {
  uint32_t first, last;
  *list = (arithmetic_list){0};
  if (!range(&first, &last)) return true;
  if (!can_decode || !read_code(first, last)) return false;
  list->entries = calloc(code.count + 1, sizeof *list->entries);
  if (!list->entries) abort();
  uint64_t passes = 0;
  for (const step *s = code.steps; s < code.steps + code.count; s++) {
    const uint64_t starts = passes_of_all(s->pc);
    if (starts) passes = starts;
    if (passes && s->operations)
      list->entries[list->count++] =
          (arithmetic){s->pc, passes * s->operations};
    if (s->ends_block) passes = 0;
  }
  return true;
}
