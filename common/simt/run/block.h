#ifndef BLOCK_H
#define BLOCK_H

/* A launch runs on several OS threads, and each owns one `block` at a time. A
 * block's CUDA threads are fibres of that OS thread. A fibre that has to meet
 * others files a request and stops, and the scheduler lets the mechanism that
 * it names carry it out. So nothing here needs a lock. */

#include "common/simt/run/fibre.h"
#include "common/simt/run/request.h"

#include <driver_types.h>

enum {
  PAGE = 4096,
  WARP_SIZE = 32,
  MAX_THREADS = 1024,
  MAX_WARPS = MAX_THREADS / WARP_SIZE,
  WARPGROUP = 128, /* threads: four warps */
  MAX_WARPGROUPS = MAX_THREADS / WARPGROUP,
  STACK_SIZE = 256 * 1024,
  MAX_MECHANISMS = 32,
  MAX_LOOKS = 16
};

typedef struct {
  fibre fibre;
  uint8_t *stack;
  uint32_t id, lane;
  uint3 index;
  request request; /* the latest */
  uint64_t result; /* of it, where it has one */
} thread;

typedef struct {
  uint32_t id, lanes;
  thread *first;
  uint32_t exists, alive; /* bits, one a lane, as are the next two */
  uint32_t ready;         /* has no request to wait for */
  uint32_t held;          /* does not run until other lanes have caught up */
  uint32_t clock, synced; /* see race/order.c */
} warp;

/* Of what a block has done, by its epochs: all threads' until `all`, and these
 * warps' until `own`. */
typedef struct {
  uint32_t all, own, warps;
} block_share;

typedef struct block {
  const simt_kernel_launch *launch;
  mechanism *const *mechanisms; /* the table; ends in null */
  void *states[MAX_MECHANISMS];
  unsigned checks; /* SIMT_RACES, SIMT_COUNTS */
  uint3 index;
  uint64_t number; /* x fastest */
  uint32_t thread_count, thread_capacity, warp_count, alive;
  thread *threads;
  warp warps[MAX_WARPS];
  thread *running;
  fibre scheduler;
  uint64_t progress; /* requests that were more than asking: see scheduler.c */
  uint64_t steps;    /* the clock of kernels */
  uint64_t moves;    /* rounds in which a lane did more than ask */
  uint64_t order, random; /* see turns.h */
  uint64_t watched_progress; /* see watch.c */
  uint32_t watched_ticks, block_ticks;
  cudaError_t error; /* ends the launch */
  struct finding *findings;
  uint32_t finding_count;
  uint32_t cas_looks[16], cas_look_count; /* see finding_cas_look */
  /* Looked at in every access, and so not among the states. */
  uintptr_t shared_low, shared_size;
  uintptr_t unused_low, unused_size; /* beyond this launch's dynamic memory */
  bool fenced;      /* a thread has executed __threadfence() */
  struct flags *flags; /* see race/flags.c */
  uint32_t epoch, barrier_epoch, look_count; /* see race/global.c */
  struct {
    uint32_t epoch, barrier_epoch;
  } fences[MAX_WARPS]; /* the latest one of each warp */
  size_t looks[MAX_LOOKS];
  bool watches_own;        /* a check looks at threads' own memory */
  struct access_log *log;  /* see access/log.c */
  void (*lane_stopped)(struct block *b, uint32_t lane); /* null: not watched */
  struct sites *sites;     /* see access/site.c */
  struct shadow *shadow;   /* see race/shadow.h; null: no check for races */
  uint64_t *passes;        /* see count/arithmetic.c */
  uint64_t *counting;      /* the same in a launch that counts, or null */
} block;

/* The block of this OS thread, null outside a launch. */
extern _Thread_local block *simt_here;

#define CALLER ((uint32_t)(uintptr_t)__builtin_return_address(0))

static inline bool in_shared(const block *b, const void *address) {
  return (uintptr_t)address - b->shared_low < b->shared_size;
}

/* Whether one of these bytes is of simt_here, which lies among the kernel's
 * variables: after a write there the block could not go on. */
static inline bool is_own_variable(uintptr_t address, size_t size) {
  const uintptr_t own = (uintptr_t)&simt_here;
  return own < address + size && address < own + sizeof simt_here;
}

/* The running fibre files a request and stops until it is carried out. */
void block_request(block *b, request r);

/* Ends the launch with an error; the running fibre never comes back. */
_Noreturn void block_abort(block *b, cudaError_t error);

/* Thread t's request is carried out. */
static inline void block_make_ready(block *b, const thread *t) {
  b->warps[t->id / WARP_SIZE].ready |= 1u << t->lane;
}

#endif
