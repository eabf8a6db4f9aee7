#ifndef CHECK_CASE_H
#define CHECK_CASE_H

#include "common/harness/problem/problem.h"

/* One input to check a kernel on. */
typedef struct {
  char name[96]; /* "mission", or "2,3,100,64" */
  attention_shape shape;
  distribution distribution;
  uint64_t seed;
  int multiprocessors; /* that the executor's device has for it; of race, 0:
                          all numbers of settings.json in turn */
  bool axis;           /* of settings.json's "axes" */
  const char *excuse;  /* why it is not run; NULL: it is */
} check_case;

typedef struct {
  check_case *cases;
  int count;
} case_list;

void case_list_free(case_list *list);

#endif
