#ifndef TUNE_TRIAL_H
#define TUNE_TRIAL_H

#include <jansson.h>

#include "common/harness/record/arm.h"

/* What became of an arm that the search tried. */

typedef enum {
  RULED_OUT,    /* by the kernel's own #error */
  BUILD_FAILED,
  OVER_BUDGET,
  SAME_CODE,    /* the machine code of another arm, `against` */
  GATES_FAILED,
  GREEN,        /* passed; on the executor nothing is timed */
  TIMED
} trial_state;

typedef struct {
  char arm[ARM_TEXT];
  int layer;
  trial_state state;
  int registers, shared_bytes; /* -1: not known */
  char code[20];               /* hash of the machine code, or "" */
  /* Medians in us of one run, its noise, and the time as a multiple of the
   * default's; NAN where it was not timed. */
  double p50, best_p50, noise, score;
  char against[ARM_TEXT];      /* the best at that time, or "" */
} trial;

/* A trial of which nothing is known yet. */
trial trial_of(const char *arm, int layer);

/* "ruled out" and so on. */
const char *trial_state_text(trial_state state);

/* {"A": 0, "B": 16}: what the arm changes. New reference. */
json_t *trial_settings(const char *arm);

/* A trial as it stands in the result, and back; false where it is none. */
json_t *trial_json(const trial *t);
bool trial_read(trial *t, const json_t *json);

#endif
