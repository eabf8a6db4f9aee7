#ifndef KEPT_H
#define KEPT_H

#include <stdbool.h>

#include "common/harness/program/reason.h"
#include "tests/runner/reads.h"

/* What a unit's run ended with, with the hash of each file that it read, as
 * JSON in a folder. */
typedef struct {
  int passed, skipped;
  double cpu;  /* seconds */
  char *skips; /* the lines that say what was skipped; may be NULL */
} kept_outcome;

/* This machine, in so far as outcomes depend on it: what is installed, the GPU,
 * the environment's compilers, and which files the tree has. "" if that cannot
 * be told. The text stays valid. */
const char *kept_machine(void);

/* Writes an outcome. `built` says whether files under build/ are read files
 * like others; without, the run began with none. A file that was changed after
 * the clock showed `started` was perhaps read before: then nothing is kept, and
 * the answer is false with one sentence. */
bool kept_write(const char *folder, const char *unit, const char *machine,
                const kept_outcome *outcome, const reads *r, bool built,
                double started, reason *why);

/* Reads it back, if it is of this machine and all files are unchanged, else
 * false with one sentence that names the first that is not. */
bool kept_find(const char *folder, const char *unit, const char *machine,
               kept_outcome *outcome, reason *why);

/* No outcome holds any longer. */
void kept_remove(const char *folder, const char *unit);

#endif
