#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/harness/program.h"
#include "floor/kernels.h"

/* What is measured of arithmetic and of waiting, one kernel and kind of input
 * each; memory has its own file. */

typedef enum {
  EXACT,  /* small numbers, whose results every order of adding gives exactly */
  RANDOM, /* as attention has them */
  ZEROS
} floor_inputs;

typedef struct floor_item floor_item;

typedef struct {
  void (*fill)(const floor_item *item, void *in, int blocks,
               floor_inputs inputs);
  /* Compares all that the call left in `out`, both on the host, with what it
   * should be. On a difference returns false with one sentence. */
  bool (*verify)(const floor_item *item, const floor_call *call, const void *in,
                 const void *out, reason *why);
} floor_family;

/* Bytes of inputs: A and B, of codes and of halves; scores of 128 threads, and
 * their results. */
enum {
  PRODUCTS_IN = (64 + 128) * PRODUCT_DEPTH,
  HALVES_IN = (16 + 64) * 16 * 2,
  SCORES_IN = 128 * SCORES * sizeof(float),
  SCORES_OUT = 128 * sizeof(score_result)
};

struct floor_item {
  const char *name;   /* the key in floor.json */
  const char *unit;   /* of the work: FLOP, exponentials, scores; a wait's */
  floor_kernel *kernel; /* NULL where this build is for another architecture */
  const floor_family *family;
  size_t in, out;     /* bytes: of all inputs, of a block's results */
  int64_t count;      /* of the call that is checked */
  bool own_inputs;    /* `in` is of a block, too */
  int threads;        /* of a block */
  int blocks;         /* on a multiprocessor; 0: one in all, a wait */
  double work;        /* of a block in a round */
  floor_inputs inputs;  /* when it is timed */
  double seconds;     /* timed without a pause; 0: in short bursts */
  int n, depth, repeats; /* products: columns, k, passes a round */
  double tolerance;   /* exponentials: of 2^x */
};

extern const floor_family floor_products, floor_half_products,
    floor_exponentials, floor_scores, floor_besides, floor_steps;

extern const floor_item floor_rates[], floor_waits[], floor_beside_item;
extern const int floor_rate_count, floor_wait_count;
