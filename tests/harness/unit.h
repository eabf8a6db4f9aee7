#ifndef UNIT_H
#define UNIT_H

/* What cmocka wants before it, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* cmocka hands each test a state, and none of these has one. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define MAIN(...)                                                              \
  int main(void) {                                                             \
    const struct CMUnitTest tests[] = {__VA_ARGS__};                           \
    return cmocka_run_group_tests(tests, NULL, NULL);                          \
  }

#include "common/harness/judge/judge.h"
#include "common/harness/problem.h"
#include "common/harness/program.h"
#include "common/harness/settings.h"

/* A problem of a shape that must be good; the test fails if it is not. */
static inline void make_problem(problem *p, const char *text, distribution d,
                                uint64_t seed) {
  reason why = {""};
  attention_shape shape;
  if (!case_parse(&shape, NULL, text, &why) ||
      !problem_new(p, &shape, d, seed, &why))
    fail_msg("%s", why.text);
}

static inline void make_references(references *r, const problem *p,
                                   p_rounding rounding) {
  reason why = {""};
  if (!references_new(r, p, rounding, true, &why)) fail_msg("%s", why.text);
}

#endif
