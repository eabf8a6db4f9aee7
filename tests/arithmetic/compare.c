/* Compares the sums of two devices bit by bit:
 *   compare THERE HERE [FOLDER]             files that `run` has written
 *   compare --sample THERE HERE [FOLDER]    THERE is a sample
 *   compare --record HERE                   prints a sample of HERE
 * A sample has for each instruction and class a hash of all outputs, and the
 * first few of them. Prints a table, and writes FOLDER/arithmetic.json. Exit
 * code 1 where a bit differs. */

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/harness/program/exit_codes.h"
#include "common/harness/record/results.h"
#include "tests/arithmetic/outputs.h"

static const char *const instruction_names[INSTRUCTIONS] = {
    "wgmma_tiles", "wgmma_registers", "mma_e4m3", "mma_halves"};

enum { FIRST = 4, SHOWN = 12 };

typedef struct {
  uint64_t hash;
  uint32_t first[FIRST];
} sample_line;

typedef struct {
  char device[128];
  sample_line lines[INSTRUCTIONS][CLASSES];
} sample;

/* How many sums differ; of a sample, SOME where the hash differs. */
enum { SOME = -1 };
typedef struct {
  int of[INSTRUCTIONS][CLASSES];
  int shown;
} differences;

/* ---- samples ---- */

static sample_line line_of(const uint32_t *sums) {
  sample_line line = {.hash = UINT64_C(14695981039346656037)}; /* FNV-1a */
  for (int i = 0; i < OUTPUTS; i++)
    line.hash = (line.hash ^ sums[i]) * UINT64_C(1099511628211);
  memcpy(line.first, sums, sizeof line.first);
  return line;
}

static void record(const outputs *o) {
  printf("%s\n", o->device);
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++) {
      const sample_line line = line_of(o->sums[i][c]);
      printf("%d %d %016" PRIx64, i, c, line.hash);
      for (int k = 0; k < FIRST; k++) printf(" %08" PRIx32, line.first[k]);
      printf("\n");
    }
}

static bool read_line(FILE *in, int i, int c, sample_line *line) {
  int its_i, its_c;
  if (fscanf(in, "%d %d %" SCNx64, &its_i, &its_c, &line->hash) != 3 ||
      its_i != i || its_c != c)
    return false;
  for (int k = 0; k < FIRST; k++)
    if (fscanf(in, "%" SCNx32, &line->first[k]) != 1) return false;
  return true;
}

static bool read_sample(sample *s, const char *path, reason *why) {
  FILE *in = fopen(path, "r");
  if (!in) return refuse(why, "cannot read %s.", path);
  bool good = fgets(s->device, sizeof s->device, in) != NULL;
  s->device[strcspn(s->device, "\n")] = '\0';
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++)
      good = good && read_line(in, i, c, &s->lines[i][c]);
  char rest;
  good = good && fscanf(in, " %c", &rest) == EOF;
  fclose(in);
  return good || refuse(why, "%s is no sample of these inputs: record it "
                             "again.", path);
}

/* ---- comparing ---- */

static void show(differences *d, int i, int c, int at, uint32_t there,
                 uint32_t here) {
  if (d->shown++ >= SHOWN) return;
  float x, y;
  memcpy(&x, &there, sizeof x);
  memcpy(&y, &here, sizeof y);
  printf("%s, %s, output %d: there %08" PRIx32 " (%.9g), here %08" PRIx32
         " (%.9g)\n", instruction_names[i], class_names[c], at, there, x, here,
         y);
}

static void compare_all(differences *d, const outputs *there,
                        const outputs *here) {
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++)
      for (int k = 0; k < OUTPUTS; k++)
        if (there->sums[i][c][k] != here->sums[i][c][k]) {
          d->of[i][c]++;
          if (d->of[i][c] == 1)
            show(d, i, c, k, there->sums[i][c][k], here->sums[i][c][k]);
        }
}

static void compare_sample(differences *d, const sample *there,
                           const outputs *here) {
  for (int i = 0; i < INSTRUCTIONS; i++)
    for (int c = 0; c < CLASSES; c++) {
      const sample_line *x = &there->lines[i][c];
      const sample_line y = line_of(here->sums[i][c]);
      for (int k = 0; k < FIRST; k++)
        if (x->first[k] != y.first[k])
          show(d, i, c, k, x->first[k], y.first[k]);
      if (memcmp(x, &y, sizeof y)) d->of[i][c] = SOME;
    }
}

static int print(const differences *d, const char *there, const char *here) {
  int bad = 0;
  printf("%s and %s: of %d outputs each, so many differ\n", there,
         here, OUTPUTS);
  printf("%-10s", "inputs");
  for (int i = 0; i < INSTRUCTIONS; i++) printf("%16s", instruction_names[i]);
  printf("\n");
  for (int c = 0; c < CLASSES; c++) {
    printf("%-10s", class_names[c]);
    for (int i = 0; i < INSTRUCTIONS; i++) {
      bad += d->of[i][c] != 0;
      if (d->of[i][c] == SOME)
        printf("%16s", "some");
      else
        printf("%16d", d->of[i][c]);
    }
    printf("\n");
  }
  if (bad == 0)
    printf("All %d are the same, bit by bit.\n",
           INSTRUCTIONS * CLASSES * OUTPUTS);
  return bad;
}

static bool write_json(const differences *d, const char *there,
                       const char *here, bool sampled, const char *folder,
                       reason *why) {
  json_t *result = json_pack(
      "{s:i, s:s, s:s, s:b, s:i, s:o}", "schema_version", RESULTS_SCHEMA,
      "there", there, "here", here, "sampled", sampled, "outputs_each",
      OUTPUTS, "differences", json_object());
  json_t *all = json_object_get(result, "differences");
  for (int i = 0; i < INSTRUCTIONS; i++) {
    json_t *of = json_object();
    for (int c = 0; c < CLASSES; c++)
      json_object_set_new(of, class_names[c],
                          d->of[i][c] == SOME ? json_string("some")
                                              : json_integer(d->of[i][c]));
    json_object_set_new(all, instruction_names[i], of);
  }
  const bool good = results_write(result, folder, "arithmetic", why);
  json_decref(result);
  return good;
}

static int usage(void) {
  fprintf(stderr, "usage: compare [--sample] THERE HERE [FOLDER], or "
                  "compare --record HERE\n");
  return EXIT_USAGE;
}

int main(int argc, char **argv) {
  static outputs there, here;
  static sample recorded;
  differences d = {0};
  reason why;
  const bool sampled = argc > 1 && !strcmp(argv[1], "--sample");
  if (argc == 3 && !strcmp(argv[1], "--record")) {
    if (!outputs_read(&here, argv[2], &why))
      return give_up("compare", EXIT_IMPOSSIBLE, why.text);
    record(&here);
    return EXIT_PASS;
  }
  argv += sampled, argc -= sampled;
  if (argc < 3 || argc > 4) return usage();
  if (!(sampled ? read_sample(&recorded, argv[1], &why)
                : outputs_read(&there, argv[1], &why)) ||
      !outputs_read(&here, argv[2], &why))
    return give_up("compare", EXIT_IMPOSSIBLE, why.text);
  const char *device = sampled ? recorded.device : there.device;
  if (sampled)
    compare_sample(&d, &recorded, &here);
  else
    compare_all(&d, &there, &here);
  const int bad = print(&d, device, here.device);
  if (argc == 4 && !write_json(&d, device, here.device, sampled, argv[3], &why))
    return give_up("compare", EXIT_IMPOSSIBLE, why.text);
  return bad ? EXIT_FAILED : EXIT_PASS;
}
