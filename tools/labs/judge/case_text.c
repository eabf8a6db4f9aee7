#include "tools/labs/judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, MULTIPROCESSORS_MOST = 1024 };

static bool read_number(const char *text, unsigned long long most,
                        unsigned long long *number) {
  char *end = NULL;
  *number = strtoull(text, &end, 10);
  return end != text && !*end && *text != '-' && *number <= most;
}

bool case_text_read(const char *text, check_case *c, reason *why) {
  char copy[128], *parts[PARTS] = {copy}, *rest = NULL;
  int count = 0;
  unsigned long long seed, processors;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *p = strtok_r(copy, "/", &rest); p && count < PARTS;
       p = strtok_r(NULL, "/", &rest))
    parts[count++] = p;
  if (count < PARTS || (rest && *rest))
    return refuse(why,
                  "'%s' is no input: it is "
                  "SHAPE/DISTRIBUTION/SEED/MULTIPROCESSORS.",
                  text);
  case_words words;
  *c = (check_case){.distribution = distribution_parse(parts[1])};
  snprintf(c->name, sizeof c->name, "%s", parts[0]);
  if (!case_parse(&c->shape, &words, parts[0], why)) return false;
  if (c->distribution == DISTRIBUTION_COUNT)
    return refuse(why, "There is no distribution '%s'.", parts[1]);
  if (!read_number(parts[2], UINT64_MAX, &seed))
    return refuse(why, "'%s' is no seed.", parts[2]);
  if (!read_number(parts[3], MULTIPROCESSORS_MOST, &processors) || !processors)
    return refuse(why, "'%s' is no number of multiprocessors.", parts[3]);
  c->seed = seed;
  c->multiprocessors = (int)processors;
  if (words.multiprocessors) c->multiprocessors = words.multiprocessors;
  if (words.inputs < DISTRIBUTION_COUNT) c->distribution = words.inputs;
  return true;
}
