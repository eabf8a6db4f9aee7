#pragma once

#include "common/harness/object.h"
#include "common/harness/problem.h"

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
                          then those of `against`; or NULL */
  uint64_t seeds[ARGUMENTS_MAX];
  int seed_count;
  const char *order;      /* of race: "forward", "backward", a seed, or NULL */
  int multiprocessors;    /* of the executor's device; 0: settings.json's */
  int iters;              /* 0: the number in settings.json */
  bool flush_l2, brief, folder;
  const char *json;       /* results folder, or NULL */
  const char *commit;     /* of the source, or "unknown" */
} stage_options;

/* Ends the program where the command line is wrong, 2, or says --help, 0. */
void options_parse(stage_options *options, const char *name,
                   const char *summary, int argc, char **argv);

/* What a stage's driver.c tells the harness; the rest its kernel.cu says in
 * stage_support. */
typedef struct {
  const char *summary; /* half a sentence for --help */
  /* Both end with a NULL: shapes that check and race run beside all stages'
   * own, and which of settings.json's "excuses" the kernel has. */
  const char *shapes[8], *excuses[8];
} stage_description;

/* driver.c's. The host program is stage.c: options -> problem -> launch ->
 * gates -> timing -> results. Its exit code: 0 pass, 1 a gate failed, 2 wrong
 * command line, 3 this machine cannot do that. */
extern const stage_description this_stage;

/* Does a kernel with this support take the shape `name`? The sentence's subject
 * is `who`: "This stage". */
bool takes_shape(const attention_support *support, const char *who,
                 const attention_shape *shape, const char *name, reason *why);

/* The cases that the options ask for, shape by shape. Without --shape: all of
 * settings.json's "check" shapes, or those of its "bench" (also for --brief),
 * "count" or "race"; to "check" and "race" belong "variants", of which the
 * stage gets those that it takes, and its own shapes. Without
 * --distribution: all, or normal alone for those; without either, check has
 * the shapes of "real" with real inputs, too, and the cases of "axes", each
 * with the first seed. In check the seed says which of settings.json's numbers
 * of multiprocessors the executor's device has.
 * 2: a name or a shape is wrong; 3: the stage does not take one. */
int cases_list(case_list *list, const stage_options *options, bool is_gpu,
               const stage_object *object, const stage_description *stage,
               reason *why);

bool cases_taken(const case_list *list, const stage_object *object,
                 reason *why);
