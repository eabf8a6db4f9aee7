#include "tools/resources/kinds.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which opcodes count as what; the first that fits. Patterns as the shell's. */
static const struct {
  const char *pattern;
  size_t sum;
} sums[] = {
    {"*MMA.*", offsetof(kinds, tensor)},
    {"wmma.mma.*", offsetof(kinds, tensor)},
    {"mma.sync.*", offsetof(kinds, tensor)},
    {"wgmma.mma_async.*", offsetof(kinds, tensor)},
    {"LDGSTS*", offsetof(kinds, copies)},
    {"cp.async.c[ag].*", offsetof(kinds, copies)},
    {"LDSM*", offsetof(kinds, ldmatrix)},
    {"ldmatrix.*", offsetof(kinds, ldmatrix)},
    {"wmma.load.*", offsetof(kinds, ldmatrix)},
    {"BAR.*", offsetof(kinds, barriers)},
    {"bar.*", offsetof(kinds, barriers)},
    {"barrier.*", offsetof(kinds, barriers)},
    {"SYNCS.*", offsetof(kinds, mbarriers)},
    {"mbarrier.*", offsetof(kinds, mbarriers)},
    {"MUFU*", offsetof(kinds, mufu)},
    {"ex2.approx*", offsetof(kinds, mufu)},
    {"rcp.approx*", offsetof(kinds, mufu)},
    {"rsqrt.approx*", offsetof(kinds, mufu)},
    {"lg2.approx*", offsetof(kinds, mufu)},
    {"sqrt.approx*", offsetof(kinds, mufu)},
    {"tanh.approx*", offsetof(kinds, mufu)},
    {"F2FP.*E4M3*", offsetof(kinds, converts)},
    {"cvt.*e4m3*", offsetof(kinds, converts)},
    {"LDL*", offsetof(kinds, locals)},
    {"STL*", offsetof(kinds, locals)},
    {"ld.local*", offsetof(kinds, locals)},
    {"st.local*", offsetof(kinds, locals)}};

static const char *const spaces[4] = {"global loads", "global stores",
                                      "shared loads", "shared stores"};

/* The memory that it goes to, as above; -1 if none of these. */
static int access_of(const char *opcode) {
  static const char *const patterns[4][3] = {
      {"LDG.*", "ld.global*", ""},
      {"STG.*", "st.global*", ""},
      {"LDS", "LDS.*", "ld.shared*"},
      {"STS", "STS.*", "st.shared*"}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 3; j++)
      if (!fnmatch(patterns[i][j], opcode, 0)) return i;
  return -1;
}

/* Is it one of the words between the dots? */
static bool has_word(const char *opcode, const char *word) {
  for (const char *at = opcode; (at = strstr(at, word)); at++)
    if (at > opcode && at[-1] == '.' &&
        (at[strlen(word)] == '.' || at[strlen(word)] == '\0'))
      return true;
  return false;
}

/* Bytes of a load or store of one thread. */
static int width_of(const char *opcode) {
  if (*opcode >= 'A' && *opcode <= 'Z') {
    if (has_word(opcode, "128")) return 16;
    if (has_word(opcode, "64")) return 8;
    if (has_word(opcode, "U16") || has_word(opcode, "S16")) return 2;
    return has_word(opcode, "U8") || has_word(opcode, "S8") ? 1 : 4;
  }
  const int values = has_word(opcode, "v4") ? 4 : has_word(opcode, "v2") ? 2
                                                                          : 1;
  const char *type = strrchr(opcode, '.');
  return type && type[1] ? values * atoi(type + 2) / 8 : 0;
}

void kinds_add(void *state, const char *opcode) {
  kinds *k = state;
  k->instructions++;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (!fnmatch(sums[i].pattern, opcode, 0)) {
      ++*(int *)((char *)k + sums[i].sum);
      break;
    }
  const int where = access_of(opcode);
  if (where < 0) return;
  const int width = width_of(opcode);
  for (int i = 0; i < WIDTHS; i++)
    if (width == 16 >> i) k->accesses[where][i]++;
}

void kinds_print(const kinds *k, const char *name) {
  printf("%-42s %6d %8d %8d %7d %5d %7d %5d\n", name, k->tensor, k->copies,
         k->ldmatrix, k->barriers, k->mufu, k->converts, k->locals);
  if (k->mbarriers) printf("  %-15s  %d\n", "mbarrier", k->mbarriers);
  for (int s = 0; s < 4; s++) {
    int used = 0;
    for (int i = 0; i < WIDTHS; i++) {
      if (!k->accesses[s][i]) continue;
      if (!used++) printf("  %-15s", spaces[s]);
      printf("  %d x %d B", k->accesses[s][i], 16 >> i);
    }
    if (used) printf("\n");
  }
}
