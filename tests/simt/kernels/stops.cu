#include <cuda_pipeline.h>
#include <mma.h>

#include "common/device/interface/launch.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "tests/simt/kernels/kernels.h"

namespace wmma = nvcuda::wmma;

/* Kernels that hang, or that the hardware stops. */

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads(); // @wait-for-all
  else
    named_barrier_sync(1, 64); // @wait-for-some
}
RUN(two_barriers, 1, 64)

__global__ void two_lines(int *out, int limit) {
  if ((int)threadIdx.x < limit) {
    out[threadIdx.x] = 1;
    __syncthreads(); // @line-one
  } else {
    out[threadIdx.x] = 2;
    __syncthreads(); // @line-two
  }
}
RUN(two_lines, 1, 64, (int *)memory, first)

/* Threads return before the others wait: a warp and some, or, with first = 1,
 * after that. */
__global__ void early_return(int *out, int after) {
  if (after ? threadIdx.x >= 40 : threadIdx.x < 40) return;
  __syncthreads(); // @few-meet
  out[threadIdx.x] = 1;
}
RUN(early_return, 1, 64, (int *)memory, first)

/* 1 reads past the allocation, 2 writes before it, 3 past the dynamic shared
 * memory, 4 in an allocation that was freed; 5 at an index of the dynamic
 * shared memory. */
__global__ void out_of_bounds(int *data, int where, int count) {
  __shared__ int tile[32];
  DYNAMIC_SHARED(int, dynamic);
  const int t = threadIdx.x;
  dynamic[t] = tile[t] = t;
  if (where == 0) data[t] = tile[t] + dynamic[t];
  __syncthreads();
  if (where == 1) data[t] = data[count - 31 + t]; // @read-past
  if (where == 2) data[t - 1] = t;                // @write-before
  if (where == 3) dynamic[t + 1] = t;             // @dynamic-past
  if (where == 4) data[t] = t;                    // @freed
  if (where == 5) dynamic[count] = t;             // @dynamic-index
}
RUN_BY(FILLING, out_of_bounds, LAUNCH(out_of_bounds, 1, 32, 32 * sizeof(int), 0,
                          (int *)memory, first, second))

__global__ void misaligned(char *data, int offset) {
  *(float *)(data + offset) = 1.0f; // @misaligned
}
RUN(misaligned, 1, 1, (char *)memory, first)

/* 16 bytes of shared memory, where first is no multiple of 4. */
__global__ void misaligned_shared(int *out, int at) {
  __shared__ __align__(16) int tile[8];
  *(int4 *)(tile + at) = make_int4(1, 2, 3, 4); // @misaligned-16
  out[0] = tile[at];
}
RUN(misaligned_shared, 1, 1, (int *)memory, first)

/* An index beyond its array: 1 hits the shared array behind it, 2 is in the
 * thread's own, 3 in a row of a shared one, 4 is below 0, 5 in a structure. */
struct two_arrays {
  int first[4], second[4];
};
__global__ void array_index(int *out, int bug, int n) {
  __shared__ int tile[32], next[32], square[4][8];
  const int t = threadIdx.x;
  int own[8];
  two_arrays both = {};
  for (int i = 0; i < 8; i++) own[i] = i + bug;
  next[t] = square[t / 8][t % 8] = t;
  tile[bug == 1 ? t + n : t] = t; // @index-next
  if (bug == 2) own[n + t % 8] = 1; // @index-own
  if (bug == 3) square[0][t] = t; // @index-row
  if (bug == 4) next[t - n] = t; // @index-below
  both.first[bug == 5 ? t % 8 : t % 4] = t; // @index-member
  out[t] = tile[t] + next[t] + own[t % 8] + square[t / 8][t % 8] +
           both.second[t % 4];
}
RUN(array_index, 1, 32, (int *)memory, first, second)

__global__ void unwritten(int *out, int written) {
  __shared__ int tile[64];
  if ((int)threadIdx.x < written) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x]; // @unwritten
}
RUN(unwritten, 1, 64, (int *)memory, first)

/* 1: the caller is not in its mask; 2: two masks; 3: two operations;
 * 4: a shuffle from a lane that is not in the mask; 5: two directions; 6: two
 * reductions; 7: a width that is no power of two. */
__global__ void mask(int *out, int bug) {
  const int lane = threadIdx.x;
  int x = 0;
  if (bug == 0) /* each four lanes, then all */
    x = __shfl_sync(0xfu << lane / 4 * 4, lane, lane / 4 * 4) +
        __shfl_sync(0xffffffffu, lane, 3);
  if (bug == 1) x = __shfl_sync(0xfffffffeu, lane, 3); // @not-in-mask
  if (bug == 2) {
    if (lane < 16)
      x = __shfl_sync(0xffffffffu, lane, 3); // @mask-all
    else
      x = __shfl_sync(0xffff0000u, lane, 20) + // @mask-half
          __shfl_sync(0xffff0000u, lane, 21);
  }
  if (bug == 3) {
    if (lane < 16)
      __syncwarp(); // @sync
    else
      x = __shfl_sync(0xffffffffu, lane, 3); // @not-sync
  }
  if (bug == 4 && lane < 16) x = __shfl_sync(0xffffu, lane, 20); // @source
  if (bug == 7) x = __shfl_sync(0xffffffffu, lane, 3, 12); // @width
  if (bug == 5) {
    if (lane < 16)
      x = __shfl_up_sync(0xffffffffu, lane, 1); // @up
    else
      x = __shfl_down_sync(0xffffffffu, lane, 1); // @down
  }
  if (bug == 6) {
    if (lane < 16)
      x = __reduce_add_sync(0xffffffffu, 1u);
    else
      x = __reduce_max_sync(0xffffffffu, 1u); // @max
  }
  out[lane] = x;
}
RUN(mask, 1, 32, (int *)memory, first)

/* Thread 0 waits for a flag that thread 32 sets, or does not (first = 1). */
__global__ void spin(int *out, int bug) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32 && bug == 0) flag = 1; // @set
  if (threadIdx.x == 0)
    while (flag == 0) {} // @spin
  out[threadIdx.x] = 1;
}
RUN(spin, 1, 64, (int *)memory, first)

/* Lanes that have returned are not waited for. */
__global__ void lanes_return(int *out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 1);
}
RUN(lanes_return, 1, 32, (int *)memory)

/* The launch gets 0 a constant, 1 a variable of the host. */
__global__ void host_pointer(int *data) { data[threadIdx.x] = 1; }
const int of_host[32] = {1};
void point_to_host(int which) {
  int own = 0;
  int *const pointers[] = {(int *)of_host, &own};
  LAUNCH(host_pointer, 1, 1, 0, 0, pointers[which]); // @host-argument
}
RUN_BY(FILLING, host_pointer, point_to_host(first))

/* A structure brings the kernel 1 a table of the host; 0: it has its own. */
struct brings {
  int skip;
  const int *table;
};
__constant__ const int of_kernel[32] = {1};
__global__ void host_table(int *out, brings b, int bug) {
  const int *table = bug ? b.table : of_kernel;
  out[threadIdx.x] = table[threadIdx.x + b.skip]; // @host-table
}
RUN_BY(FILLING, host_table, brings b = {first, of_host};
    LAUNCH(host_table, 1, 8, 0, 0, (int *)memory, b, first))

/* What is for global memory alone: 1 __ldg of shared memory, 2 of a variable, 3
 * of a parameter, 4 __ldcg of a constant; cp.async from 5 a constant, 6 a
 * variable; 7 an atomic on a variable. */
__global__ void spaces(int *out, const int parameter, int bug) {
  __shared__ int tile[32];
  int own[4] = {bug, bug, bug, bug};
  tile[threadIdx.x] = bug;
  int x = __ldg(out + 32);
  if (bug == 1) x += __ldg(tile + threadIdx.x);         // @space-1
  if (bug == 2) x += __ldg(own + bug % 4);              // @space-2
  if (bug == 3) x += __ldg(&parameter);                 // @space-3
  if (bug == 4) x += __ldcg(of_kernel + threadIdx.x);   // @space-4
  if (bug == 5) __pipeline_memcpy_async(tile, of_kernel, 16); // @space-5
  if (bug == 6) __pipeline_memcpy_async(tile, own, 4);  // @space-6
  if (bug == 7) atomicAdd(own + bug % 4, 1);            // @space-7
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = x + tile[threadIdx.x];
}
RUN(spaces, 1, 32, (int *)memory, second, first)

/* __ldg of what 1 the same thread writes later, 2 has written, 3 another block
 * changes by an atomic; 0: of nothing of that. */
__global__ void as_constant(int *out, int bug) {
  const int t = threadIdx.x, block = blockIdx.x;
  if (bug == 2) out[64 + t] = t; // @constant-before
  int x = block ? 0 : __ldg(out + 64 + t); // @constant-read
  if (bug == 1) out[64 + t] = x; // @constant-after
  if (bug == 3 && block) atomicAdd(out + 64, 1); // @constant-atomic
  out[32 * block + t] = x;
}
RUN(as_constant, 1 + first / 3, 32, (int *)memory, first)

/* A lambda that nvcc inlines and g++ does not, called by lanes of a warp in two
 * branches. They meet in 1 __syncthreads, 2 a matrix product, 3 ldmatrix, 4 a
 * named barrier, where they 5 only arrive, 6 wgmma_fence, 7 a lambda that calls
 * it, 8 in one line; 0: in all, in one branch. */
__global__ void __launch_bounds__(128) in_lambda(int *out, int bug) {
  __shared__ __align__(16) unsigned tile[128];
  unsigned a[4] = {}, b[4] = {};
  float sum[1][4] = {};
  const int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  const auto meet = [&](int n) __attribute__((noinline)) {
    if (bug == 1 || !bug) __syncthreads();
    if (bug == 2 || !bug) mma_m16n8k16(sum[0], a, b[0], b[1]);
    if (bug == 3 || !bug) ldmatrix_x4(b, &tile[t % 32 * 4]);
    if (bug == 4 || !bug) named_barrier_sync(1, 128);
    if (bug == 5 || !bug) named_barrier_arrive(2, 128);
    if (bug >= 6 || !bug) wgmma_fence(sum);
    out[t] = n + b[0];
  };
  const auto through = [&](int n) __attribute__((noinline)) { meet(n); };
  if (bug == 7 && t % 2)
    through(1); // @lambda-through
  else if (bug == 8)
    t % 2 ? meet(1) : meet(0); // @lambda-line
  else if (bug && t % 2)
    meet(1); // @lambda-odd
  else
    meet(0); // @lambda-even
}
RUN(in_lambda, 1, 128, (int *)memory, first)

/* first: 1 two thread counts at one barrier; 2 a count that is no multiple of
 * 32; 3 a barrier number that there is not. */
__global__ void named_barriers(int bug) {
  if (bug == 1 && threadIdx.x < 32)
    named_barrier_arrive(1, 64); // @count-64
  else if (bug <= 1)
    named_barrier_sync(1, bug ? 32 : 64); // @count-32
  if (bug == 2) named_barrier_sync(1, 33); // @count-33
  if (bug == 3) named_barrier_sync(16, 64); // @number-16
}
RUN(named_barriers, 1, 64, first)

/* What the hardware refuses. first: 1 cp.async to an odd address, 2 from one,
 * 3 to global memory; 4 __trap; 5 an mbarrier in global memory, 6 one that was
 * never initialised, 7 one that counts to 0; 8 WMMA from a row that is not
 * aligned; 9 a matrix product of half a warp; 10 an mbarrier made twice. */
__global__ void wrong_use(char *data, int bug) {
  __shared__ __align__(32) char tile[1024];
  __shared__ uint64_t barrier;
  for (int i = threadIdx.x; i < 1024; i += 32) tile[i] = 0;
  __syncthreads();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fill_fragment(a, __half(1.0f));
  wmma::fill_fragment(b, __half(1.0f));
  wmma::fill_fragment(sum, 0.0f);
  if (bug == 1) __pipeline_memcpy_async(tile + 8, data, 16);     // @use-1
  if (bug == 2) __pipeline_memcpy_async(tile, data + 1, 4);      // @use-2
  if (bug == 3) __pipeline_memcpy_async(data + 64, data, 4);     // @use-3
  if (bug == 4) __trap();                                        // @use-4
  if (bug == 5) mbarrier_init((uint64_t *)data, 1);              // @use-5
  if (bug == 6) mbarrier_arrive(&barrier);                       // @use-6
  if (bug == 7) mbarrier_init(&barrier, 0);                      // @use-7
  for (int i = 0; bug == 10 && i < 2; i++)
    mbarrier_init(&barrier, 32); // @use-10
  if (bug == 8) wmma::load_matrix_sync(a, (__half *)(tile + 16), 16); // @use-8
  if (bug == 9 && threadIdx.x >= 16) return;
  wmma::mma_sync(sum, a, b, sum); // @use-9
  data[threadIdx.x] = sum.x[0];
}
RUN(wrong_use, 1, 32, (char *)memory, first)

/* Of `first` threads, a multiple of 32. */
__global__ void __launch_bounds__(64) bounded(int *out) {
  out[threadIdx.x] = 1;
}
RUN(bounded, 1, first, (int *)memory)

/* One lane waits for all others where they do not come. first: 0 in a vote,
 * 1 in a reduction, 2 in __syncwarp, 3 in a shuffle, 4 in a matrix product. */
__global__ void wait_apart(int *out, int where) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  const unsigned all = 0xffffffffu;
  if (threadIdx.x > 0) __syncthreads(); // @others
  if (where == 0) out[0] = __any_sync(all, 1);                  // @apart-0
  if (where == 1) out[0] = __reduce_add_sync(all, 1);           // @apart-1
  if (where == 2) __syncwarp();                                 // @apart-2
  if (where == 3) out[0] = __shfl_sync(all, (int)threadIdx.x, 0); // @apart-3
  if (where == 4) wmma::mma_sync(sum, a, b, sum);               // @apart-4
  __syncthreads();
}
RUN(wait_apart, 1, 32, (int *)memory, first)

/* A thread that stores for ever. */
__global__ void for_ever(volatile int *out) {
  const int t = threadIdx.x;
  out += blockDim.x * blockIdx.x;
  for (int i = 0; t == 3 || i < 1; i++) out[t] = i; // @for-ever
}
RUN(for_ever, 2, 32, (int *)memory)

/* What would end the program itself. first: 0 writes to an address that nobody
 * has; 1 needs a large stack. */
__device__ int large(int x) {
  volatile char local[1 << 20];
  for (int i = 0; i < 1 << 20; i += 1024) local[i] = x;
  return local[x];
}
__global__ void crash(int *out, int how) { // @large-stack
  if (how == 0) *(volatile int *)(out + (1l << 40)) = 1; // @nobody-has
  if (how == 1) out[0] = large(how);
}
RUN(crash, 4, 64, (int *)memory, first)

/* Reads on and on below a variable of its own. */
__global__ void below_own(int *out, volatile int own) {
  for (int i = 0;; i -= 1024) out[0] += (&own)[i]; // @below-own
}
RUN(below_own, 1, 64, (int *)memory, first)
