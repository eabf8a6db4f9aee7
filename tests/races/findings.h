#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

/* The lines of a statement. */
typedef struct {
  int first, last;
} line_range;

/* Whether the output of `race` has a finding of that kind one of whose two
 * places lies in these lines of the file, and the other one in those: itself,
 * or a call that led there. */
bool findings_name(FILE *log, const char *file, const char *kind,
                   line_range one, line_range other);

#endif
