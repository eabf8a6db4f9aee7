/* What a kernel's machine code is made of, counted where it stands: see
 * `instructions --help`. */

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/command.h"
#include "tools/resources/kinds.h"
#include "tools/resources/opcodes.h"

enum { PASS = 0, FAILED = 1, USAGE = 2, IMPOSSIBLE = 3, WORDS_MAX = 256 };

static const char help[] =
    "What a kernel's machine code is made of, counted where it stands: a "
    "loop's body once, however often it runs."
    "\v"
    "opcodes FILE.cubin|FILE.ptx  every instruction, one a line\n"
    "count FILE OPCODE            how many are that opcode: LDG is LDG.E.128, "
    "too, not LDGSTS\n"
    "loop FILE.cubin OPCODE [OTHER]  the instructions of the smallest loop "
    "that has that opcode; or those of them that are OTHER\n"
    "table STAGE/ARM...           the sums that the book speaks of, for the "
    "architecture in ARCH\n\n"
    "A cubin takes nvdisasm. Where there is none, table reads PTX instead, "
    "which the assembler may still change.";

typedef struct {
  char *words[WORDS_MAX];
  int count;
  char nvdisasm[1024]; /* "": there is none */
} command_line;

static int fail(int code, const char *format, const char *what) {
  fflush(stdout);
  fprintf(stderr, format, what);
  return code;
}

static bool is_cubin(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && !strcmp(ending, ".cubin");
}

static void print_opcode(void *state, const char *opcode) {
  (void)state;
  printf("%s\n", opcode);
}

typedef struct {
  const char *wanted;
  int all, found;
} counter;

static void count_opcode(void *state, const char *opcode) {
  counter *c = state;
  c->all++;
  c->found += opcode_is(opcode, c->wanted);
}

static int count(const command_line *c) {
  counter sum = {.wanted = c->words[2]};
  opcodes_each(c->words[1], c->nvdisasm, count_opcode, &sum);
  if (!sum.all)
    return fail(FAILED, "No instructions found in %s.\n", c->words[1]);
  printf("%d\n", sum.found);
  return PASS;
}

static int loop(const command_line *c) {
  const int found = opcodes_in_loop(c->words[1], c->nvdisasm, c->words[2],
                                    c->count > 3 ? c->words[3] : NULL);
  if (found < 0) {
    fprintf(stderr, "No loop of %s has %s.\n", c->words[1], c->words[2]);
    return FAILED;
  }
  printf("%d\n", found);
  return PASS;
}

static int table(const command_line *c) {
  const char *arch = getenv("ARCH"), *kind = *c->nvdisasm ? "cubin" : "ptx";
  char title[128], path[1024];
  if (!arch || !*arch) arch = "90a";
  snprintf(title, sizeof title, "instructions as they stand, sm_%s", arch);
  printf("\n%-42s %6s %8s %8s %7s %5s %7s %5s\n", title, "tensor", "cp.async",
         "ldmatrix", "barrier", "mufu", "convert", "local");
  for (int i = 1; i < c->count; i++) {
    kinds k = {.instructions = 0};
    snprintf(path, sizeof path, "build/gpu/%s/sm_%s.%s", c->words[i], arch,
             kind);
    if (access(path, R_OK)) {
      printf("%-42s not for this architecture\n", c->words[i]);
      continue;
    }
    opcodes_each(path, c->nvdisasm, kinds_add, &k);
    if (!k.instructions)
      return fail(FAILED, "%s: no instructions found\n", c->words[i]);
    kinds_print(&k, c->words[i]);
  }
  if (!*c->nvdisasm)
    printf("counted in PTX: there is no nvdisasm here ('make setup')\n");
  return PASS;
}

static int run(const command_line *c) {
  static const struct {
    const char *verb;
    int least, most;
  } verbs[] = {{"opcodes", 2, 2}, {"count", 3, 3}, {"loop", 3, 4},
               {"table", 2, WORDS_MAX}};
  const char *verb = c->words[0];
  for (int i = 0; i < 4; i++) {
    if (strcmp(verb, verbs[i].verb)) continue;
    if (c->count < verbs[i].least || c->count > verbs[i].most)
      return fail(USAGE, "%s: --help says what it takes.\n", verb);
    if (i == 3) return table(c);
    if (is_cubin(c->words[1]) && !*c->nvdisasm)
      return fail(IMPOSSIBLE, "Reading %s takes nvdisasm: 'make setup' "
                  "installs it.\n", "a cubin");
    if (i == 1) return count(c);
    if (i == 2) return loop(c);
    return opcodes_each(c->words[1], c->nvdisasm, print_opcode, NULL) ? PASS
                                                                      : FAILED;
  }
  return fail(USAGE, "instructions has no verb '%s'; --help lists them.\n",
              verb);
}

static error_t take(int key, char *word, struct argp_state *state) {
  command_line *c = state->input;
  if (key == ARGP_KEY_ARG) {
    if (c->count == WORDS_MAX)
      argp_failure(state, USAGE, 0, "More than %d words.", WORDS_MAX);
    c->words[c->count++] = word;
    return 0;
  }
  if (key == ARGP_KEY_END && c->count < 2)
    argp_failure(state, USAGE, 0, "Give a verb and what it is about; --help "
                 "lists the verbs.");
  return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv) {
  const struct argp parser = {NULL, take, "VERB FILE|STAGE/ARM [OPCODE...]",
                              help, NULL, NULL, NULL};
  command_line c = {.count = 0};
  argp_err_exit_status = USAGE;
  argp_parse(&parser, argc, argv, 0, NULL, &c);
  const command ask = {{"tools/setup/disassembler.sh"}, 1};
  if (!command_answer(&ask, c.nvdisasm, sizeof c.nvdisasm)) *c.nvdisasm = '\0';
  return run(&c);
}
