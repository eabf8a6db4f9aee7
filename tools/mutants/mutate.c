/* Mistakes made of a kernel's own source; usage() below lists what it does. */

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/reason.h"
#include "tools/mutants/mutants.h"

static int usage(void) {
  fprintf(stderr,
          "usage: mutate rules              names each rule\n"
          "       mutate list STAGE         one mistake a line: "
          "NUMBER|REGION|LINE|RULE|SENTENCE\n"
          "       mutate choose STAGE [BEFORE]\n"
          "                                 those that make mutants judges: "
          "tools/mutants/mutants.h\n"
          "       mutate make STAGE NUMBER  prints the kernel with that "
          "mistake\n"
          "STAGE is a folder, its first part as in stage3, its number, or a "
          "file.\n"
          "Exit status: 0 pass, 1 something does not fit, 2 wrong command "
          "line.\n");
  return EXIT_USAGE;
}

/* stage3_fused_softmax, stage3, 3 or FILE.cu: the file. */
static bool find_kernel(source *s, const char *stage, char *path, size_t size) {
  static const char *const patterns[] = {
      "{,further/}%s/kernel.cu", "{,further/}%s_*/kernel.cu",
      "{,further/}stage%s_*/kernel.cu"};
  const char *dot = strrchr(stage, '.');
  snprintf(path, size, "%s", stage);
  if (dot && !strcmp(dot, ".cu")) return true;
  for (int i = 0; i < 3; i++) {
    glob_t found;
    snprintf(path, size, patterns[i], stage);
    if (glob(path, GLOB_BRACE, NULL, &found)) continue;
    snprintf(path, size, "%s", found.gl_pathv[0]);
    globfree(&found);
    return true;
  }
  return refuse(&s->why, "There is no kernel in '%s'.", stage);
}

static bool open_kernel(source *s, const char *stage) {
  char path[1024];
  *s = (source){0};
  const bool good =
      find_kernel(s, stage, path, sizeof path) && source_read(s, path);
  if (!good) fprintf(stderr, "%s\n", s->why.text);
  return good;
}

static void print_one(int number, const mutant *m) {
  printf("%d|%.*s|%d|%s|%s\n", number,
         m->where ? (int)m->where->name_length : 0,
         m->where ? m->where->name : "", m->line, m->by->name, m->sentence);
}

static int run_list(const char *stage) {
  source s;
  mutants all = {NULL, 0};
  const bool good = open_kernel(&s, stage);
  if (good) rules_apply(&s, &all);
  for (int i = 0; i < all.count; i++)
    print_one(i + 1, &all.all[i]);
  mutants_free(&all);
  source_free(&s);
  return good ? EXIT_PASS : EXIT_FAILED;
}

static void print_chosen(source *s, const source *before) {
  mutants all = {NULL, 0};
  rules_apply(s, &all);
  bool *chosen = calloc((size_t)all.count + 1, sizeof *chosen);
  if (chosen) mutants_choose(s, &all, before, chosen);
  for (int i = 0; chosen && i < all.count; i++)
    if (chosen[i]) print_one(i + 1, &all.all[i]);
  free(chosen);
  mutants_free(&all);
}

static int run_choose(const char *stage, const char *other) {
  source s, before = {0};
  const bool good =
      open_kernel(&s, stage) && (!other || open_kernel(&before, other));
  if (good) print_chosen(&s, other ? &before : NULL);
  if (other) source_free(&before);
  source_free(&s);
  return good ? EXIT_PASS : EXIT_FAILED;
}

static bool print_made(source *s, const char *number) {
  mutants all = {NULL, 0};
  char *end;
  rules_apply(s, &all);
  const long n = strtol(number, &end, 10);
  const bool exists = !*end && n >= 1 && n <= all.count;
  if (exists)
    fputs(all.all[n - 1].text, stdout);
  else
    fprintf(stderr, "%s has mistakes 1 to %d, and no '%s'.\n", s->path,
            all.count, number);
  mutants_free(&all);
  return exists;
}

static int run_make(const char *stage, const char *number) {
  source s;
  const bool good = open_kernel(&s, stage) && print_made(&s, number);
  source_free(&s);
  return good ? EXIT_PASS : EXIT_FAILED;
}

static int run_rules(void) {
  for (const rule *r = rules; r->name; r++)
    printf("%s\n", r->name);
  return EXIT_PASS;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "rules")) return run_rules();
  if (argc == 3 && !strcmp(argv[1], "list")) return run_list(argv[2]);
  if ((argc == 3 || argc == 4) && !strcmp(argv[1], "choose"))
    return run_choose(argv[2], argv[3]);
  if (argc == 4 && !strcmp(argv[1], "make")) return run_make(argv[2], argv[3]);
  return usage();
}
