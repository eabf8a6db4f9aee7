#ifndef EXECUTOR_H
#define EXECUTOR_H

/* Inside the executor. A launch runs on several OS threads, and each owns one
 * `block` at a time. A block's CUDA threads are fibres of that OS thread. A
 * fibre that reaches a synchronisation files a request and stops; the
 * scheduler then reads the warp's log of memory accesses (trace.c) and carries
 * the requests out. So nothing here needs a lock. */

#include "common/simt/run/fibre.h"
#include "common/simt/include/simt_abi.h"
#include "common/simt/simt.h"

#include <driver_types.h>
#include <stdatomic.h>

enum {
  PAGE = 4096,
  WARP_SIZE = 32,
  MAX_THREADS = 1024,
  MAX_WARPS = MAX_THREADS / WARP_SIZE,
  BARRIERS = 16,
  STATIC_SHARED_LIMIT = 48 * 1024,
  SHARED_LIMIT = 227 * 1024,
  LOG_LENGTH = 512, /* accesses of a lane between two digests */
  STACK_SIZE = 256 * 1024,
  WARPGROUP = 128, /* threads: four warps */
  MAX_WARPGROUPS = MAX_THREADS / WARPGROUP,
  LOG_STRIDE = LOG_LENGTH + 4, /* spreads the lanes over the cache's sets */
};

/* ---- what lanes do ---- */

typedef enum {
  REQUEST_NONE, /* runs on */
  REQUEST_BARRIER,
  REQUEST_ARRIVE,
  REQUEST_SYNCWARP,
  REQUEST_SHUFFLE,
  REQUEST_BALLOT,
  REQUEST_REDUCE,
  REQUEST_MULTIPLY,
  REQUEST_MMA,
  REQUEST_LDMATRIX,
  REQUEST_STMATRIX,
  REQUEST_MBARRIER_ARRIVE,
  REQUEST_MBARRIER_WAIT, /* asks only, and is asked again */
  REQUEST_SPIN,          /* lets the others run */
  REQUEST_TMA,
  REQUEST_PROXY_FENCE,
  REQUEST_WARPGROUP, /* wgmma and its kin: all of the warpgroup meet */
  REQUEST_EXIT
} request_kind;

typedef struct {
  request_kind kind;
  bool filed; /* the barrier knows of it */
  uint32_t pc;
  uint32_t mask;             /* warp collectives */
  uint32_t barrier, threads; /* threads is 0 for __syncthreads */
  uint64_t value; /* shuffle, reduce; votes: the predicate; the parity, or
                     the bytes that an arrival expects */
  uint32_t source;           /* shuffle: the lane to read from */
  simt_vote vote;
  simt_atomic_operation operation; /* reduce */
  const uint64_t *mbarrier;
  const char *spins_in; /* "a loop that ..." */
  const uint16_t *line; /* ldmatrix, stmatrix: what this lane names, */
  unsigned *registers;  /* what it gets, */
  const unsigned *from_registers; /* what it gives */
  bool transposed;
  bool e4m3;           /* mma: bytes, not halves; into d */
  const unsigned *a_registers, *b_registers;
  float *d; /* multiply */
  const uint16_t *a, *b;
  const float *c;
  const struct tma_copy *copy;
  const struct warpgroup_call *call;
} request;

typedef enum {
  ACCESS_READ,
  ACCESS_WRITE,
  ACCESS_ATOMIC,
  ACCESS_VOLATILE_READ,
  ACCESS_VOLATILE_WRITE,
  ACCESS_LDMATRIX,
  ACCESS_STMATRIX,
  ACCESS_COPY_READ,  /* cp.async: its source */
  ACCESS_COPY_WRITE, /* cp.async issued: its destination */
  ACCESS_COPY_DONE,  /* cp.async waited for */
  ACCESS_TMA_WRITE,
  ACCESS_MBARRIER,   /* arrival or wait */
} access_kind;

/* One lane's access. Accesses with equal keys can be one warp instruction. */
typedef union {
  struct {
    uint32_t pc;
    uint8_t size, kind, shared, unused;
  };
  uint64_t bits;
} access_key;

typedef struct {
  access_key key;
  uint64_t address;
} lane_access;

/* One warp instruction: the same access by the lanes of `lanes`. The other
 * addresses are copies of one of theirs. */
typedef struct {
  access_key key;
  uint32_t lanes;
  uint64_t address[WARP_SIZE];
} instruction;

/* ---- the cast ---- */

typedef struct {
  void *destination;
  const void *source;
  uint32_t size, source_size, group, pc;
  const uint64_t *mbarrier; /* no copy, but an arrival after those before */
} async_copy;

typedef struct {
  fibre fibre;
  uint8_t *stack;
  uint32_t id, lane;
  uint3 index;
  request request;
  uint64_t result;
  async_copy *copies; /* under way */
  uint32_t copy_count, copy_capacity, committed;
  uint32_t logged;
  struct operand_map *operands; /* see operands.c */
} thread;

typedef struct {
  uint32_t id, lanes;
  thread *first;
  uint32_t exists, alive, ready; /* bits, one a lane */
  uint32_t clock, synced;        /* see order.c */
} warp;

typedef struct {
  uint32_t arrived, threads, pc, first_thread;
  uint32_t any, all, count;
  bool waiting; /* some thread waits in it, as opposed to arrived only */
} barrier;

typedef struct mbarrier mbarrier;
struct shadow;
struct site;
struct flaw;

typedef struct block {
  const simt_kernel_launch *launch;
  unsigned checks;
  uint3 index;
  uint64_t number; /* x fastest */
  uint32_t thread_count, thread_capacity, warp_count, alive;
  thread *threads;
  warp warps[MAX_WARPS];
  barrier barriers[BARRIERS];
  mbarrier *mbarriers;
  uint32_t mbarrier_count;
  struct tma_copy *tma; /* under way */
  uint32_t tma_count, tma_capacity, tma_engines;
  struct warpgroup *warpgroups; /* MAX_WARPGROUPS, once one has been used */
  bool tracks_operands;
  bool has_arrivals; /* a thread has asked for an arrival after its copies */
  uint64_t progress; /* requests that were more than waiting in a loop */
  uint64_t steps;    /* the clock of kernels */
  thread *running;
  fibre scheduler;
  cudaError_t error;
  uint64_t watched_progress; /* see watch.c */
  uint32_t watched_ticks;
  uintptr_t shared_low, shared_size;
  uintptr_t unused_low, unused_size; /* beyond this launch's dynamic memory */
  lane_access *log; /* of the warp that runs: LOG_STRIDE entries a lane */
  struct shadow *shadow;
  struct site **sites;
  uint32_t site_capacity, site_count;
  uint64_t *passes; /* see arithmetic.c */
  struct flaw *flaws;
  uint32_t flaw_count;
} block;

/* The block of this OS thread, null outside a launch. */
extern _Thread_local block *simt_here;

#define CALLER ((uint32_t)(uintptr_t)__builtin_return_address(0))

static inline bool in_shared(const block *b, const void *address) {
  return (uintptr_t)address - b->shared_low < b->shared_size;
}

/* The running fibre files a request and stops until it is carried out. */
void block_request(block *b, request r);
void block_run(block *b);
/* Ends the launch with an error; the running fibre never comes back. */
_Noreturn void block_abort(block *b, cudaError_t error);

void barrier_request(block *b, thread *t);
void barrier_thread_exit(block *b, thread *t);
void async_arrivals(block *b, const uint64_t *mbarrier);
void mbarrier_request(block *b, thread *t);
void mbarrier_arrive_for(block *b, thread *t, const uint64_t *mbarrier);
void mbarrier_check(uint64_t *mbarrier, uint32_t pc);
void mbarrier_start_block(block *b);
void warp_requests(block *b, warp *w);
void matrix_multiply(thread *lanes);
void matrix_hand_out(thread *lanes); /* ldmatrix */
void matrix_take_in(thread *lanes);  /* stmatrix */
void matrix_mma(thread *lanes, bool e4m3);
void async_exit(block *b, thread *t);

/* shared.c: the shared memory of an OS thread. shared_find fills in the fields
 * of `b` for a launch; true bytes of variables have a nonzero shared_map. */
void shared_find(block *b);
void shared_poison(block *b);
bool shared_allows(const block *b, const void *address, size_t size);
extern uint8_t *shared_map;
void shared_read_map(void);

/* log.c: true where accesses are left over that wait for other lanes. */
bool log_digest(block *b, warp *w);
/* The same for an instruction that all lanes make together. */
void log_take(block *b, warp *w, const instruction *i);
/* trace.c: stops the kernel where it may not do that. True where the access is
 * one to file, which trace_access does. */
bool trace_check(block *b, const void *address, uint32_t size,
                 access_kind kind, uint32_t pc);
void trace_access(block *b, const void *address, uint32_t size,
                  access_kind kind, uint32_t pc);

/* What an atomic operation of 4 or 8 bytes makes of its operands. */
uint64_t atomic_combine(simt_atomic_operation operation, size_t size,
                        uint64_t old, uint64_t value, uint64_t compare);

/* arena.c: the memory that cudaMalloc hands out. */
extern uintptr_t arena_low, arena_size;
bool arena_allows(uintptr_t address, uint32_t size);
bool arena_contains(const void *address, size_t size);

/* launch.c: one entry an OS thread, kept from launch to launch. */
extern block *simt_workers[];
extern uint32_t simt_worker_count;
void error_set(cudaError_t error);
void error_set_sticky(cudaError_t error);
cudaError_t error_sticky(void);
size_t launch_dynamic_limit(const void *kernel);

#endif
