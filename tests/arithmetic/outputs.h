#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdbool.h>
#include <stdio.h>

#include "common/harness/program/reason.h"
#include "tests/arithmetic/inputs.h"

/* What a device computed of all inputs: one line of text that names it, then
 * all sums as they lie in memory. */
typedef struct {
  char device[128];
  uint32_t sums[INSTRUCTIONS][CLASSES][OUTPUTS];
} outputs;

/* Both return false with one sentence. */
bool outputs_write(const outputs *o, const char *path, reason *why);
bool outputs_read(outputs *o, const char *path, reason *why);

#endif
