#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/harness/program/reason.h"

/* The command line of every stage program, as text and numbers; shapes and
 * distributions are given names here and looked up by the caller. */

typedef enum {
  VERB_CHECK,
  VERB_BENCH,
  VERB_COUNT,
  VERB_RACE,
  VERB_INFO
} stage_verb;

typedef struct {
  stage_verb verb;
  text_list shapes, distributions, against;
  text_list resources; /* "registers=76 shared_bytes=30720 ...": this kernel's,
                          then those of `against` */
  uint64_t seeds[ARGUMENTS_MAX];
  int seed_count;
  const char *order;      /* of race: "forward", "backward", a seed, or NULL */
  int multiprocessors;    /* of the executor's device; 0: settings.json's */
  int iters;              /* 0: the number in settings.json */
  bool flush_l2, brief, folder;
  const char *json;       /* results folder, or NULL */
  const char *commit;     /* of the source, or "unknown" */
  const char *target;     /* gpu, cpu, or NULL */
} stage_options;

/* Fills `options`, or prints one sentence (or --help) and ends the program:
 * 2 for a wrong command line, 0 for --help. `name` and `summary` are the
 * stage's. */
void options_parse(stage_options *options, const char *name,
                   const char *summary, int argc, char **argv);

/* The compiler's report on kernel `arm`; NULL if the command line has none. */
const char *options_resources(const stage_options *options, int arm);

#endif
