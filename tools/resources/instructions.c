/* What a kernel's machine code is made of, counted where it stands: see
 * `instructions --help`. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/harness/program/exit_codes.h"
#include "tools/common/command.h"
#include "tools/common/words.h"
#include "tools/resources/kinds.h"
#include "tools/resources/opcodes.h"

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
  word_list line;
  char nvdisasm[1024]; /* "": there is none */
} request;

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

static int count(const request *c) {
  counter sum = {.wanted = c->line.words[2]};
  opcodes_each(c->line.words[1], c->nvdisasm, count_opcode, &sum);
  if (!sum.all)
    return fail(EXIT_FAILED, "No instructions found in %s.\n",
                c->line.words[1]);
  printf("%d\n", sum.found);
  return EXIT_PASS;
}

static int loop(const request *c) {
  const int found =
      opcodes_in_loop(c->line.words[1], c->nvdisasm, c->line.words[2],
                      c->line.count > 3 ? c->line.words[3] : NULL);
  if (found < 0) {
    fprintf(stderr, "No loop of %s has %s.\n", c->line.words[1],
            c->line.words[2]);
    return EXIT_FAILED;
  }
  printf("%d\n", found);
  return EXIT_PASS;
}

static int table(const request *c) {
  const char *arch = getenv("ARCH"), *kind = *c->nvdisasm ? "cubin" : "ptx";
  char title[128], path[1024];
  if (!arch || !*arch) arch = "90a";
  snprintf(title, sizeof title, "instructions as they stand, sm_%s", arch);
  printf("\n%-42s %6s %8s %8s %7s %5s %7s %5s\n", title, "tensor", "cp.async",
         "ldmatrix", "barrier", "mufu", "convert", "local");
  for (int i = 1; i < c->line.count; i++) {
    kinds k = {.instructions = 0};
    snprintf(path, sizeof path, "build/gpu/%s/sm_%s.%s", c->line.words[i], arch,
             kind);
    if (access(path, R_OK)) {
      printf("%-42s not for this architecture\n", c->line.words[i]);
      continue;
    }
    opcodes_each(path, c->nvdisasm, kinds_add, &k);
    if (!k.instructions)
      return fail(EXIT_FAILED, "%s: no instructions found\n", c->line.words[i]);
    kinds_print(&k, c->line.words[i]);
  }
  if (!*c->nvdisasm)
    printf("counted in PTX: there is no nvdisasm here ('make setup')\n");
  return EXIT_PASS;
}

static int run(const request *c) {
  static const struct {
    const char *verb;
    int least, most;
  } verbs[] = {{"opcodes", 2, 2},
               {"count", 3, 3},
               {"loop", 3, 4},
               {"table", 2, WORDS_MAX}};
  const char *verb = c->line.words[0];
  for (int i = 0; i < 4; i++) {
    if (strcmp(verb, verbs[i].verb)) continue;
    if (c->line.count < verbs[i].least || c->line.count > verbs[i].most)
      return fail(EXIT_USAGE, "%s: --help says what it takes.\n", verb);
    if (i == 3) return table(c);
    if (is_cubin(c->line.words[1]) && !*c->nvdisasm)
      return fail(EXIT_IMPOSSIBLE,
                  "Reading %s takes nvdisasm: 'make setup' "
                  "installs it.\n",
                  "a cubin");
    if (i == 1) return count(c);
    if (i == 2) return loop(c);
    return opcodes_each(c->line.words[1], c->nvdisasm, print_opcode, NULL)
               ? EXIT_PASS
               : EXIT_FAILED;
  }
  return fail(EXIT_USAGE, "instructions has no verb '%s'; --help lists them.\n",
              verb);
}

int main(int argc, char **argv) {
  static const char usage[] = "VERB FILE|STAGE/ARM [OPCODE...]";
  request c;
  words_parse(&c.line, usage, help, argc, argv);
  const command ask = {{"tools/setup/disassembler.sh"}, 1};
  if (!command_answer(&ask, c.nvdisasm, sizeof c.nvdisasm)) *c.nvdisasm = '\0';
  return run(&c);
}
