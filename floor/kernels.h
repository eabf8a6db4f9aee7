#ifndef FLOOR_KERNELS_H
#define FLOOR_KERNELS_H

/* The small kernels of this folder, as the host sees them. Plain C. */

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "common/device/interface/attention.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the first thread of block 0 saw of its loop. */
typedef struct {
  int64_t cycles; /* of its multiprocessor */
  int64_t ns;
} floor_span;

/* One launch. All memory is the device's. */
typedef struct {
  const void *in;
  void *out;
  floor_span *span;
  int64_t count;  /* of words, of nodes, or of rounds of products */
  int64_t step;   /* bytes from node to node */
  int rounds;     /* how often the loop runs */
  int blocks, threads;
} floor_call;

/* Starts a kernel on the stream and returns at once. */
typedef cudaError_t floor_kernel(const floor_call *call, cudaStream_t stream);

/* memory.cu: words of 16 bytes; count is a multiple of MEMORY_WORDS. */
enum { MEMORY_THREADS = 256, MEMORY_WORDS = 4 * MEMORY_THREADS };
floor_kernel floor_fill; /* 32-bit word i of out becomes i * FILL_FACTOR */
floor_kernel floor_read; /* sums of the 32-bit words, one a thread, into out */
floor_kernel floor_copy; /* in to out */
#define FILL_FACTOR 2654435761u

/* chase.cu: node i, at byte i * step of out, gets the address of node in[i],
 * in being 32-bit numbers; then `rounds` times from node to node, from the one
 * at `in` on, and the address of the last one into out. */
floor_kernel floor_chase_fill, floor_chase;
enum { CHASE_UNROLL = 8 };

/* products.cu, compute capability 9.0: C[64][N] += A[64][128] * B[N][128]^T in
 * E4M3, PRODUCT_REPEATS times a round. `in` is A, then B; out is C, for each
 * block and thread in the order of its registers. */
enum { PRODUCT_DEPTH = 128, PRODUCT_REPEATS = 4 };
floor_kernel floor_products_shared_64, floor_products_shared_96,
    floor_products_shared_128, floor_products_registers_64,
    floor_products_registers_128;

/* halves.cu: the same of C[16][64], A[16][16], B[64][16] by mma.sync on
 * halves, once a round, by each warp. */
floor_kernel floor_halves;

/* exponentials.cu: x becomes 2^-x in each round; CHAINS numbers a thread, side
 * by side in `in` and `out`, floats, or pairs of halves. */
enum { CHAINS = 8 };
floor_kernel floor_exp2, floor_exp2_halves, floor_exp2_polynomial;

/* softmax.cu: what stage 14 does with a score, SCORES of them a thread and
 * round. `in` is [thread][SCORES], the same for all blocks; out score_result
 * [block][thread]. */
enum { SCORES = 64 };
typedef struct {
  float highest, row_sum[2];
  uint32_t codes; /* all codes, combined by exclusive or */
} score_result;
floor_kernel floor_softmax;

/* beside.cu, compute capability 9.0: three warpgroups with the scores of
 * softmax.cu, `rounds` times, and one with `count` rounds of products, each
 * three times C[64][128] += A * B^T. `in` is A, B, then scores of 384 threads;
 * out, for each block, 384 score_results, then C. */
enum { BESIDE_THREADS = 512, BESIDE_REPEATS = 3 };
floor_kernel floor_beside;

/* waits.cu and product_wait.cu: one block does one thing over and over. out[t]
 * is what thread t is left with; see the kernels. */
enum { WAITS_UNROLL = 8 };
floor_kernel floor_block_barrier, floor_named_barrier, floor_mbarrier,
    floor_shuffle, floor_exp2_wait;
/* Compute capability 9.0; groups of 1 or 4 products, C[64][64] or [64][128]. */
floor_kernel floor_product_wait_64_1, floor_product_wait_64_4,
    floor_product_wait_128_1, floor_product_wait_128_4;

/* full_launch.cu: does nothing, with all of each multiprocessor. */
cudaError_t floor_full_launch(const attention_args *args, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
