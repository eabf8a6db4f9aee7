#ifndef KERNELS_H
#define KERNELS_H

/* The kernels that the executor's tests run, each behind a function of C.
 * `memory` is device memory; what the two numbers mean stands at the kernel.
 * They return what cudaGetLastError says after the launch. */

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef cudaError_t kernel_run(void *memory, int first, int second);

/* counting.cu */
kernel_run run_shared_stride, run_shared_vector, run_shared_pair,
    run_shared_places, run_shared_broadcast, run_shared_bytes,
    run_global_stride, run_global_vector, run_divergent_loop, run_trip_counts,
    run_long_loop, run_async_copy, run_async_groups, run_collectives,
    run_atomics, run_flops;

/* races.cu */
kernel_run run_block_exchange, run_warp_exchange, run_half_warps, run_reuse,
    run_two_writers, run_one_address, run_bytes, run_halves, run_counter,
    run_producer, run_pipeline, run_reads_by_all, run_two_readers,
    run_two_pairs, run_sequence, run_helpers, run_volatile_exchange;

/* stops.cu */
kernel_run run_two_barriers, run_two_lines, run_early_return, run_out_of_bounds,
    run_misaligned, run_unwritten, run_mask, run_spin, run_lanes_return,
    run_host_pointer, run_named_barriers, run_wrong_use, run_wait_apart,
    run_for_ever, run_unwritten_dynamic, run_no_dynamic, run_too_few;

/* sync.cu */
kernel_run run_ring, run_copy_ring, run_new_phase, run_own_barrier,
    run_one_try, run_pairs, run_split_warps, run_blocks_meet,
    run_global_exchange, run_first_come, run_reductions, run_every_atomic,
    run_many_atomics, run_pair_atomics, run_lock, run_stamps, run_last_block;

/* matrix.cu */
kernel_run run_product, run_lane_map, run_matrix_traffic, run_global_product,
    run_unfilled, run_rescaled, run_of_registers, run_one_sum;

/* hopper.cu and ring.cu: for compute capability 9.0. Bytes of strided_tile. */
enum { STRIDED_ROW = 3 * 64 + 16, STRIDED_BATCH = 20 * STRIDED_ROW + 48 };
kernel_run run_tma_tile, run_strided_tile, run_bad_map, run_one_waits,
    run_wgmma_product, run_out_of_scope, run_one_arrives, run_registers,
    run_stmatrix_lines, run_tma_ring;

/* launches.cu */
kernel_run run_launch, run_dynamic, run_big_static, run_print,
    run_places, run_crash;
cudaError_t allow_dynamic(int bytes);

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
