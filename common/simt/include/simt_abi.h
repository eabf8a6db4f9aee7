#pragma once

/* The functions of the executor that a kernel calls, through the names that
 * simt_prelude.h and the stand-in headers give them. Plain C: the runtime is
 * C, the kernel is compiled as C++. All are called inside a fibre. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Constant for a fibre, so that the compiler may call them once. */
uint3 simt_thread_index(void) __attribute__((const));
uint3 simt_block_index(void) __attribute__((const));
uint3 simt_block_size(void) __attribute__((const));
uint3 simt_grid_size(void) __attribute__((const));
unsigned simt_lane(void) __attribute__((const));
void *simt_dynamic_shared(void) __attribute__((const));

/* Barriers of the block. A named barrier counts `threads` arrivals. */
typedef enum { SIMT_ANY, SIMT_ALL, SIMT_COUNT } simt_vote;
void simt_syncthreads(void);
int simt_syncthreads_vote(int predicate, simt_vote vote);
void simt_barrier_sync(unsigned id, unsigned threads);
void simt_barrier_arrive(unsigned id, unsigned threads);

/* Warp collectives: every lane of the mask that has not returned must call. */
void simt_syncwarp(unsigned mask);
typedef enum { SIMT_FROM, SIMT_UP, SIMT_DOWN, SIMT_ACROSS } simt_direction;
uint64_t simt_shuffle(unsigned mask, uint64_t value, unsigned source_lane,
                      simt_direction direction);
unsigned simt_ballot(unsigned mask, int predicate);
/* The lanes that have come to this call, when all of the warp have stopped. */
unsigned simt_active_lanes(void);

/* An mbarrier is 8 bytes of shared memory: see common/device/ptx/mbarrier.cuh.
 */
void simt_mbarrier_init(uint64_t *barrier, unsigned count);
void simt_mbarrier_inval(uint64_t *barrier); /* may be initialised again */
void simt_fence_mbarrier_init(void); /* of all that this thread has made */
/* So many at once, of whom `dropped` come no more, or none, which expects bytes
 * alone; the parity of their phase. */
unsigned simt_mbarrier_arrive_by(uint64_t *barrier, unsigned arrivals,
                                 unsigned bytes, unsigned dropped);
void simt_async_arrive(uint64_t *barrier); /* after the copies so far */
/* The same, and this phase waits for one arrival more: without .noinc. */
void simt_async_arrive_added(uint64_t *barrier);
int simt_mbarrier_try_wait(uint64_t *barrier, unsigned parity);

/* cp.async: `size` bytes of shared memory become the first `source_size` bytes
 * of the source and zeros after them, at the wait and not before. */
void simt_async_copy(void *destination, const void *source, size_t size,
                     size_t source_size);
void simt_async_commit(void);
void simt_async_wait(size_t groups_left);

/* 16x16x16 products on tensor cores, in the register layout of sm_80 and
 * later. A fragment of halves has 8 elements a lane, an accumulator 8 floats.
 * simt_load_matrix reads 16 lines of 16 halves that lie `stride` halves apart;
 * `lines` says what a line is: a row or a column of the matrix. */
typedef enum { SIMT_MATRIX_A, SIMT_MATRIX_B } simt_operand;
typedef enum { SIMT_LINES_ARE_ROWS, SIMT_LINES_ARE_COLUMNS } simt_order;
void simt_load_matrix(uint16_t *fragment, const void *source, unsigned stride,
                      simt_operand operand, simt_order lines);
void simt_matrix_multiply(float *d, const uint16_t *a, const uint16_t *b,
                          const float *c);
/* See common/device/ptx/mma.cuh: d += a * b, 16 x 8, of registers of such
 * elements; of S8 d has integers. */
typedef enum {
  SIMT_F16, SIMT_E4M3, SIMT_BF16, SIMT_E5M2, SIMT_TF32, SIMT_S8
} simt_element;
void simt_mma(float *d, const unsigned *a, const unsigned *b, unsigned element);
/* See common/device/ptx/ldmatrix.cuh; `count` is 1, 2 or 4 matrices. */
void simt_ldmatrix_of(unsigned *registers, const void *line, bool transposed,
                      unsigned count);
/* See common/device/ptx/stmatrix.cuh. */
void simt_stmatrix_of(void *line, const unsigned *registers, bool transposed,
                      unsigned count);
void simt_check_matrix_address(const void *address, unsigned stride_bytes);

/* TMA loads, see common/device/ptx/tma.cuh. `map` is a CUtensorMap; the host's
 * function returns cudaSuccess or cudaErrorInvalidValue. Sizes: bytes of a row,
 * rows, heads, batches; strides: bytes from row to row, and so on. */
cudaError_t simt_tensor_map(void *map, const uint8_t *codes,
                            const uint64_t sizes[4], const uint64_t strides[3],
                            int tile_rows);
void simt_tma_load(void *tile, const void *map, uint64_t *barrier, int row,
                   int head, int batch);
void simt_fence_async_proxy(void);

/* The same of any tensor that cuTensorMapEncodeTiled has described, and the way
 * back; and of bytes in a row. A store belongs to a group of its thread. */
void simt_tensor_load(void *tile, const void *map, unsigned dimensions,
                      const int *at, uint64_t *barrier);
void simt_tensor_store(const void *map, unsigned dimensions, const int *at,
                       const void *tile);
void simt_bulk_load(void *to, const void *from, unsigned bytes,
                    uint64_t *barrier);
void simt_bulk_store(void *to, const void *from, unsigned bytes);
void simt_bulk_commit(void);
void simt_bulk_wait(unsigned groups_left);

/* Products of a warpgroup, see common/device/ptx/wgmma.cuh: all 128 threads
 * call. A comes from registers where these are not null. */
typedef struct {
  const void *tile;
  unsigned row_bytes, column;
} simt_wgmma_tile;
/* Any operand in shared memory. */
typedef struct {
  const void *tile;
  unsigned row_bytes, column; /* 16: not swizzled */
  simt_element element;
  bool by_columns; /* neighbours are of one k */
  unsigned leading, stride; /* PTX, "Matrix Descriptor Format": bytes */
} simt_wgmma_operand;
void simt_wgmma_product(float *c, unsigned columns, simt_wgmma_tile a,
                        const unsigned *a_registers, simt_wgmma_tile b,
                        bool accumulate);
void simt_wgmma_of(float *c, unsigned columns, const simt_wgmma_operand *a,
                   const unsigned *a_registers, const simt_wgmma_operand *b,
                   bool accumulate);
void simt_wgmma_fence(void);
void simt_wgmma_commit(void);
void simt_wgmma_wait(unsigned groups_left);
void simt_setmaxnreg(unsigned count, bool more);

/* Atomic read-modify-write of 4 or 8 bytes; returns the old bits. */
typedef enum {
  SIMT_ADD, SIMT_ADD_FLOAT, SIMT_ADD_FLOAT2, SIMT_ADD_HALF2, SIMT_ADD_BFLOAT2,
  SIMT_MIN, SIMT_MAX, SIMT_MIN_SIGNED, SIMT_MAX_SIGNED, SIMT_AND, SIMT_OR,
  SIMT_XOR, SIMT_EXCHANGE, SIMT_COMPARE
} simt_atomic_operation;
uint64_t simt_atomic(void *address, size_t size,
                     simt_atomic_operation operation, uint64_t value,
                     uint64_t compare);
void simt_fence(int of_block); /* or for other blocks as well */

/* The operation over the values of all lanes of the mask. */
unsigned simt_reduce(unsigned mask, unsigned value,
                     simt_atomic_operation operation);

/* C's own, where the compiler calls them: simt_prelude.h */
void *simt_memmove(void *to, const void *from, size_t size);
void *simt_memset(void *to, int byte, size_t size);

int simt_is_shared(const void *address);
/* By an instruction for global memory alone; so many bytes that nobody may
 * write while the kernel runs, as of ld.global.nc. */
void simt_use_global(const void *address, size_t read_only);
unsigned simt_shared_offset(const void *address);
void *simt_shared_pointer(uint64_t offset);
void simt_refuse(const char *why); /* ends the kernel with this finding */
void simt_spin(void); /* lets the other threads run */
/* Steps of this block so far. The same from run to run; not a time. */
uint64_t simt_clock(void);
void simt_trap(void); /* ends the kernel with an error */

/* Runs kernel(arguments...) on a grid; `call` unpacks the arguments. What goes
 * wrong is left for cudaGetLastError. */
typedef struct {
  const char *name;
  void *kernel;
  void (*call)(void *kernel, void *arguments);
  void *arguments;
  size_t arguments_size;
  uint3 grid, block;
  size_t dynamic_shared;
  void *stream;
} simt_kernel_launch;
/* Before it: a pointer that the kernel gets must not be to host memory. */
void simt_argument(const volatile void *pointer);
void simt_launch(const simt_kernel_launch *launch);
/* The next launch is a cooperative one of so many blocks: false where they are
 * too many. 0: no more. */
bool simt_cooperate(uint64_t blocks);
unsigned *simt_grid_arrivals(void); /* of its blocks at grid.sync() */

#ifdef __cplusplus
}
#endif
