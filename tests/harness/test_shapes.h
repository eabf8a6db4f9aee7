#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include "tests/harness/unit.h"

#include "common/harness/problem/problem.h"
#include "common/harness/problem/shape_text.h"
#include "common/harness/program/reason.h"

#ifdef _OPENMP
#include <omp.h>
static inline void use_threads(int count) { omp_set_num_threads(count); }
#else
static inline void use_threads(int count) { (void)count; }
#endif

/* A problem of a shape that must be good; the test fails if it is not. */
static inline void make_problem(problem *p, const char *text, distribution d,
                                uint64_t seed) {
  reason why = {""};
  attention_shape shape;
  if (!attention_shape_parse(&shape, text, &why) ||
      !problem_new(p, &shape, d, seed, &why))
    fail_msg("%s", why.text);
}

#endif
