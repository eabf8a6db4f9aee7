#ifndef COMPARE_TABLE_H
#define COMPARE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/harness/record/results.h"

/* Two recorded results beside each other, shape by shape. `saved` is
 * 1 - candidate/base, `speed-up` is base/candidate, of the medians. A
 * difference within the noise of either run is printed as no difference. */

typedef struct {
  FILE *out;
  bool gated, markdown;
  double gate;    /* percent */
  /* What the last comparison came to: */
  double mission; /* saved at mission in percent; NAN: not timed in both */
  const char *mission_method;
  int slower;     /* rows where the candidate is slower than the base */
} comparison;

/* Prints the table of two files. With a gate it is EXIT_FAILED if the
 * candidate is slower anywhere, or saves less than that at the mission shape.
 * What does not compare is refused in a sentence; in Markdown that sentence
 * stands in place of the table. */
int compare_files(comparison *c, const char *base_path,
                  const char *candidate_path);

#endif
