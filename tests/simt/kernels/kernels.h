#ifndef KERNELS_H
#define KERNELS_H

/* The kernels that the executor's tests run, each behind a function of C that
 * returns what cudaGetLastError says after the launch. `memory` is device
 * memory; what the two numbers mean stands at the kernel. */

#include <cuda_runtime_api.h>

/* X(NAME, FILLING): run_NAME, and what memory begins with. */
#define KERNELS(X)                                                             \
  X(shared_vector, ZEROS) X(global_stride, ZEROS)                              \
  X(divergent_loop, ZEROS) X(trip_counts, ZEROS) X(long_loop, ZEROS)           \
  X(async_copy, MATRICES) X(async_groups, ZEROS) X(collectives, ZEROS)         \
  X(atomics, ZEROS) X(flops, ZEROS)                           /* counting */   \
  X(block_exchange, ZEROS) X(half_warps, ZEROS) X(two_writers, ZEROS)          \
  X(bytes, ZEROS) X(counter, ZEROS) X(pipeline, MATRICES)                      \
  X(reads_by_all, ZEROS) X(two_readers, ZEROS) X(sequence, ZEROS)              \
  X(helpers, ZEROS) X(volatile_exchange, ZEROS)                                \
  X(same_value, ZEROS)                                        /* races */      \
  X(ring, ZEROS) X(copy_ring, MATRICES) X(one_try, ZEROS) X(pairs, ZEROS)      \
  X(split_warps, ZEROS) X(blocks_meet, ZEROS) X(global_exchange, ZEROS)        \
  X(first_come, ZEROS) X(reductions, ZEROS) X(every_atomic, ZEROS)             \
  X(many_atomics, ZEROS) X(pair_atomics, ZEROS) X(stamps, ZEROS)               \
  X(last_block, ZEROS)                                        /* sync */       \
  X(chain, ZEROS) X(sum_last, ZEROS) X(locked, ZEROS) X(locked_here, ZEROS)    \
  X(handed_on, ZEROS) X(last_warp, ZEROS)                                      \
  X(add_doubles, ZEROS) X(add_here, ZEROS) X(found, ZEROS)    /* flags */      \
  X(product, MATRICES) X(global_product, MATRICES) X(lane_map, ZEROS)          \
  X(matrix_traffic, MATRICES) X(unfilled, ZEROS)                               \
  X(of_registers, ZEROS)                                      /* matrix */

/* Of compute capability 9.0. */
#define HOPPER_KERNELS(X)                                                      \
  X(tma_tile, CODES) X(bad_map, CODES)                                         \
  X(wgmma_product, CODES) X(one_arrives, CODES)                                \
  X(registers, ZEROS) X(stmatrix_lines, CODES)

/* A wrapper of common/device/ptx, or some that belong together. */
#define WRAPPERS(X)                                                            \
  X(widen_low, RANDOM) X(widen_high, RANDOM) X(exp2_approx, RANDOM)            \
  X(ldmatrix_x4, RANDOM) X(ldmatrix_x4_trans, RANDOM)                          \
  X(mma_m16n8k16, RANDOM) X(mbarrier_phases, RANDOM) X(handed_over, RANDOM)    \
  X(global_timer, RANDOM)
#define HOPPER_WRAPPERS(X)                                                     \
  X(mma_m16n8k32, RANDOM) X(stmatrix_x4, RANDOM) X(tma_load, RANDOM)           \
  X(wgmma_tiles, RANDOM) X(wgmma_registers, RANDOM) X(setmaxnreg, RANDOM)

/* No GPU would survive these. */
#define STOPS(X)                                                               \
  X(two_barriers, ZEROS) X(two_lines, ZEROS) X(one_line, ZEROS)                \
  X(early_return, ZEROS)                                                       \
  X(out_of_bounds, ZEROS) X(misaligned, ZEROS) X(unwritten, ZEROS)             \
  X(mask, ZEROS) X(spin, ZEROS) X(lanes_return, ZEROS) X(host_pointer, ZEROS)  \
  X(named_barriers, ZEROS) X(wrong_use, ZEROS) X(wait_apart, ZEROS)            \
  X(for_ever, ZEROS) X(unwritten_dynamic, ZEROS) X(no_dynamic, ZEROS)          \
  X(too_few, ZEROS) X(array_index, ZEROS) X(crash, ZEROS)

#ifdef __cplusplus
extern "C" {
#endif

typedef cudaError_t kernel_run(void *memory, int first, int second);
#define DECLARE(name, filling) kernel_run run_##name;
KERNELS(DECLARE) HOPPER_KERNELS(DECLARE) STOPS(DECLARE)
WRAPPERS(DECLARE) HOPPER_WRAPPERS(DECLARE)

#ifdef __cplusplus
}

/* Bugs in products are for the executor alone: ptxas sees them, works around
 * them, and says so. */
#ifdef SIMT
#define PLANTED(bug) (bug)
#else
#define PLANTED(bug) 0
#endif

/* extern "C" cudaError_t run_name(...) for the statements of a launch. */
#define RUN(name, ...)                                                         \
  cudaError_t run_##name(void *memory, int first, int second) {                \
    (void)memory, (void)first, (void)second;                                   \
    __VA_ARGS__;                                                               \
    return cudaGetLastError();                                                 \
  }
#endif

#endif
