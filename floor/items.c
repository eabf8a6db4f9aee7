#include "floor/items.h"

/* These need compute capability 9.0, and are not in other builds. */
#pragma weak floor_products_shared_64
#pragma weak floor_products_shared_96
#pragma weak floor_products_shared_128
#pragma weak floor_products_registers_64
#pragma weak floor_products_registers_128
#pragma weak floor_product_wait_64_1
#pragma weak floor_product_wait_64_4
#pragma weak floor_product_wait_128_1
#pragma weak floor_product_wait_128_4
#pragma weak floor_beside

#define LONG 1.5 /* seconds */

#define PRODUCTS(suffix, what, columns, kind, time)                            \
  {                                                                            \
    .name = "wgmma_" #what suffix, .unit = "FLOP",                             \
    .kernel = floor_products_##what, .family = &floor_products,                \
    .in = PRODUCTS_IN, .out = 64 * (columns) * sizeof(float), .threads = 128,  \
    .blocks = 4,                                                               \
    .work = 2.0 * 64 * (columns) * PRODUCT_DEPTH * PRODUCT_REPEATS,            \
    .inputs = kind, .seconds = time, .n = columns, .depth = PRODUCT_DEPTH,     \
    .repeats = PRODUCT_REPEATS                                                 \
  }
#define HALVES(suffix, kind)                                                   \
  {                                                                            \
    .name = "mma_half" suffix, .unit = "FLOP", .kernel = floor_halves,         \
    .family = &floor_half_products, .in = HALVES_IN,                           \
    .out = 8 * 16 * 64 * sizeof(float), .threads = 256, .blocks = 4,           \
    .work = 8 * 2.0 * 16 * 64 * 16, .inputs = kind, .n = 64                    \
  }
#define EXPONENTIALS(key, function, a_number, allowed)                         \
  {                                                                            \
    .name = key, .unit = "exponentials", .kernel = function,                   \
    .family = &floor_exponentials, .in = 256 * CHAINS * sizeof(float),         \
    .out = 256 * CHAINS * sizeof(float), .own_inputs = true, .threads = 256,   \
    .blocks = 4,                                                               \
    .work = 256.0 * CHAINS * (a_number), .inputs = RANDOM, .n = a_number,      \
    .tolerance = allowed                                                       \
  }
#define SOFTMAX(suffix, of_each, time)                                         \
  {                                                                            \
    .name = "softmax" suffix, .unit = "scores", .kernel = floor_softmax,       \
    .family = &floor_scores, .in = SCORES_IN, .out = SCORES_OUT,               \
    .threads = 128, .blocks = of_each,                                         \
    .work = 128.0 * SCORES, .inputs = RANDOM, .seconds = time                  \
  }

const floor_item floor_rates[] = {
    PRODUCTS("_random", shared_64, 64, RANDOM, 0),
    PRODUCTS("_zeros", shared_64, 64, ZEROS, 0),
    PRODUCTS("_random", shared_96, 96, RANDOM, 0),
    PRODUCTS("_zeros", shared_96, 96, ZEROS, 0),
    PRODUCTS("_random", shared_128, 128, RANDOM, 0),
    PRODUCTS("_zeros", shared_128, 128, ZEROS, 0),
    PRODUCTS("_random", registers_64, 64, RANDOM, 0),
    PRODUCTS("_zeros", registers_64, 64, ZEROS, 0),
    PRODUCTS("_random", registers_128, 128, RANDOM, 0),
    PRODUCTS("_zeros", registers_128, 128, ZEROS, 0),
    HALVES("_random", RANDOM),
    HALVES("_zeros", ZEROS),
    EXPONENTIALS("ex2", floor_exp2, 1, 1e-6),
    EXPONENTIALS("ex2_halves", floor_exp2_halves, 2, 4e-3),
    EXPONENTIALS("ex2_polynomial", floor_exp2_polynomial, 1, 5e-4),
    SOFTMAX("", 4, 0),
    SOFTMAX("_one_warpgroup", 1, 0),
    /* The hottest come last. */
    SOFTMAX("_sustained", 4, LONG),
    PRODUCTS("_zeros_sustained", shared_128, 128, ZEROS, LONG),
    PRODUCTS("_random_sustained", shared_128, 128, RANDOM, LONG),
};
const int floor_rate_count = sizeof floor_rates / sizeof *floor_rates;

#define STEPS(key, function, how_many)                                         \
  {                                                                            \
    .name = key, .unit = "step", .kernel = function, .family = &floor_steps,   \
    .in = (how_many) * sizeof(float), .out = (how_many) * sizeof(float),       \
    .threads = how_many, .work = WAITS_UNROLL, .inputs = RANDOM                \
  }
#define PRODUCT_WAIT(columns, count)                                           \
  {                                                                            \
    .name = "wgmma_" #columns "_" #count, .unit = "group",                     \
    .kernel = floor_product_wait_##columns##_##count,                          \
    .family = &floor_products, .in = PRODUCTS_IN,                              \
    .out = 64 * (columns) * sizeof(float), .threads = 128, .work = 1,          \
    .inputs = RANDOM,                                                          \
    .n = columns, .depth = 32 * (count), .repeats = 1                          \
  }

const floor_item floor_waits[] = {
    STEPS("syncthreads_128", floor_block_barrier, 128),
    STEPS("syncthreads_256", floor_block_barrier, 256),
    STEPS("syncthreads_384", floor_block_barrier, 384),
    STEPS("syncthreads_512", floor_block_barrier, 512),
    STEPS("named_barrier_256", floor_named_barrier, 256),
    STEPS("mbarrier_round_trip", floor_mbarrier, 64),
    STEPS("shuffle", floor_shuffle, 32),
    STEPS("ex2_chain", floor_exp2_wait, 32),
    PRODUCT_WAIT(64, 1),
    PRODUCT_WAIT(64, 4),
    PRODUCT_WAIT(128, 1),
    PRODUCT_WAIT(128, 4),
};
const int floor_wait_count = sizeof floor_waits / sizeof *floor_waits;

/* Its work, and the rounds of its products, are counted where it is timed. */
const floor_item floor_beside_item = {
    .name = "beside", .unit = "scores", .kernel = floor_beside,
    .family = &floor_besides, .in = PRODUCTS_IN + 3 * SCORES_IN, .count = 2,
    .out = 3 * SCORES_OUT + 64 * 128 * sizeof(float),
    .threads = BESIDE_THREADS, .blocks = 1,
    .work = (BESIDE_THREADS - 128.0) * SCORES, .inputs = RANDOM, .n = 128,
    .depth = PRODUCT_DEPTH, .repeats = BESIDE_REPEATS};
