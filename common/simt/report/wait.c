/* Is a volatile read that of a loop which waits? Its machine code says so: the
 * innermost loop around it computes nothing and stores nothing. */

#include "common/simt/report/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AROUND = 256, MAX_STEPS = 2 * AROUND };

typedef struct {
  unsigned long address, target; /* of a jump; else 0 */
  bool harmless;
} step;

static bool begins(const char *text, const char *const *with, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strncmp(text, with[i], strlen(with[i]))) return true;
  return false;
}

/* Moves, comparisons, jumps; and calls that read or wait. */
static bool is_harmless(const char *name, const char *operands) {
  static const char *const names[] = {"mov", "test", "cmp", "j",   "nop",
                                      "and", "set",  "xor", "data"};
  static const char *const calls[] = {"__tsan_volatile_read", "__tsan_read",
                                      "__sanitizer_cov", "simt_spin",
                                      "simt_fence"};
  if (strncmp(name, "call", 4))
    return begins(name, names, sizeof names / sizeof *names);
  const char *function = strchr(operands, '<');
  return function &&
         begins(function + 1, calls, sizeof calls / sizeof *calls);
}

static size_t read_steps(uint32_t pc, step *steps) {
  char path[4096], command[256], line[512];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  size_t count = 0;
  if (length < 0) return 0;
  path[length] = '\0';
  setenv("SIMT_PROGRAM", path, 1);
  /* From the call, which is five bytes long, on, and from before it: there the
   * first instructions may be none. */
  snprintf(command, sizeof command,
           "exec objdump -d --no-show-raw-insn --start-address=%u "
           "--stop-address=%u \"$SIMT_PROGRAM\" 2>/dev/null",
           pc - AROUND, pc + AROUND);
  FILE *in = popen(command, "r");
  while (in && fgets(line, sizeof line, in)) {
    char name[32], operands[256] = "";
    step s = {0};
    if (count == MAX_STEPS ||
        sscanf(line, " %lx: %31s %255[^\n]", &s.address, name, operands) < 2)
      continue;
    if (*name == 'j') s.target = strtoul(operands, NULL, 16);
    s.harmless = is_harmless(name, operands);
    steps[count++] = s;
  }
  if (in) pclose(in);
  return count;
}

bool source_is_wait(uint32_t pc) {
#ifndef __x86_64__
  return false;
#endif
  step steps[MAX_STEPS];
  const size_t count = read_steps(pc, steps);
  for (const step *jump = steps; jump < steps + count; jump++) {
    if (jump->address < pc || !jump->target || jump->target >= pc) continue;
    bool waits = true;
    for (const step *s = steps; s < steps + count; s++)
      if (s->address >= jump->target && s->address <= jump->address)
        waits &= s->harmless;
    return waits && jump->target >= steps->address;
  }
  return false;
}
