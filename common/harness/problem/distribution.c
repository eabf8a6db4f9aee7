#include "common/harness/problem/distribution.h"

#include <string.h>

static const char *const names[DISTRIBUTION_COUNT] = {
    "normal",        "large-logits", "dominant-key",
    "constant-rows", "mixed-scales", "zero-head",
    "offset-values", "real",         "far-below",
    "peak",          "step-up",      "tiny",
    "nan-q",         "nan-k",        "nan-v"};

const char *distribution_name(distribution d) { return names[d]; }

distribution distribution_parse(const char *name) {
  int d = 0;
  while (d < DISTRIBUTION_COUNT && strcmp(name, names[d])) d++;
  return (distribution)d;
}
