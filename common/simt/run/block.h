#pragma once

/* A launch runs on several OS threads, and each owns one `block` at a time. A
 * block's CUDA threads are fibres of that OS thread. A fibre that has to meet
 * others files a request and stops, and the scheduler lets the mechanism that
 * it names carry it out. So nothing here needs a lock. */

#include "common/harness/program.h"
#include "common/simt/include/simt_abi.h"
#include "common/simt/simt.h"

#include <cuda_runtime_api.h>
#include <ucontext.h>

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

#define FOR_EACH_LANE(lane, mask)                                              \
  for (uint32_t lane, lane##_rest = (mask);                                    \
       lane##_rest && (lane = (uint32_t)__builtin_ctz(lane##_rest), 1);        \
       lane##_rest &= lane##_rest - 1)

/* ---- memory of the executor's own: all of these end the program where there
 * is none left ---- */

void *allocate_zeros(size_t count, size_t size);
void *reallocate(void *memory, size_t size);
/* Whole pages of zeros that take no memory until they are touched; `what` they
 * are for, as in "the stacks of its threads". */
void *allocate_pages(size_t size, const char *what);

#define MAKE_ROOM(list, count, capacity)                                       \
  do {                                                                         \
    if ((count) < (capacity)) break;                                           \
    (capacity) = (capacity) ? 2 * (capacity) : 16;                             \
    (list) = reallocate(list, (capacity) * sizeof *(list));                    \
  } while (0)

/* What is found by a key, not null: see launch.c. */
typedef struct {
  struct entry {
    uint64_t key;
    void *value;
  } *entries; /* a hash table; value is null where one is empty */
  uint32_t count, capacity;
} map;
static inline struct entry *map_entry(const map *m, uint64_t key) {
  uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 40;
  for (;; i++) {
    struct entry *e = &m->entries[i & (m->capacity - 1)];
    if (!e->value || e->key == key) return e;
  }
}

static inline void *map_get(const map *m, uint64_t key) {
  return m->capacity ? map_entry(m, key)->value : NULL;
}

void map_put(map *m, uint64_t key, void *value);
void map_clear(map *m, bool frees); /* the values, too */

/* ---- fibres ---- */

/* A fibre is a stack and the registers to go on with. Switching costs a few
 * nanoseconds on x86-64, where it is ten instructions, and about 300 with the
 * C library's ucontext elsewhere. */

#ifdef __x86_64__
typedef struct {
  void *stack_pointer;
} fibre;
#else
typedef struct {
  ucontext_t context;
} fibre;
#endif

/* ---- what a thread wants when it stops ---- */

typedef struct mechanism mechanism;

typedef enum {
  REQUEST_YIELD, /* that the other lanes catch up: it can run on at once */
  REQUEST_SPIN,  /* the same, in a loop that waits for another thread */
  REQUEST_CARRY_OUT, /* that a mechanism does something for it */
  REQUEST_EXIT   /* nothing: it has returned */
} request_kind;

typedef struct {
  request_kind kind;
  uint32_t pc;
  const mechanism *to; /* REQUEST_CARRY_OUT: who does it, */
  uint8_t operation;   /* and which of his operations it is */
  bool asks;  /* only asks for what others must do, and will ask again */
  bool filed; /* the mechanism has seen it, and waits for other threads */
  /* Which member holds, the kind says, or mechanism and operation. */
  union {
    const char *spins_in; /* REQUEST_SPIN: "a loop that ..." */
    struct {
      uint32_t id, threads; /* threads is 0 for __syncthreads */
      bool predicate;
      simt_vote vote;
    } barrier;
    struct {
      const uint64_t *address;
      uint32_t arrivals; /* how many, */
      uint32_t dropped;  /* how many of them come no more, */
      uint32_t bytes;    /* and how many bytes more they expect */
      uint32_t parity;   /* of a wait */
    } mbarrier;
    struct {
      uint32_t mask; /* the lanes that must come, for any of them */
      union {
        bool predicate;
        struct {
          uint64_t value;
          uint32_t source; /* the lane to read from */
        } shuffle;
        struct {
          uint32_t value;
          simt_atomic_operation operation;
        } reduction;
        const void *matrix; /* a variable of the thread: see matrix.c */
      };
    } warp;
    const void *call; /* all others': a variable of the thread */
  };
} request;

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
  uint32_t clock, synced; /* see race/shadow.c */
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
  uint64_t order, random; /* see turns_next */
  uint64_t watched_progress; /* see signals.c */
  uint32_t watched_ticks, block_ticks;
  cudaError_t error; /* ends the launch */
  struct finding **findings;
  uint32_t finding_count, finding_capacity;
  bool findings_full;
  map finding_at; /* the latest of two program counters */
  map cas_looks; /* where threads have read what they gave to an atomicCAS */
  /* Looked at in every access, and so not among the states. */
  uintptr_t shared_low, shared_size;
  uintptr_t unused_low, unused_size; /* beyond this launch's dynamic memory */
  bool fenced;      /* a thread has executed __threadfence() */
  struct flags *flags; /* see race/race.c */
  uint32_t epoch, barrier_epoch, look_count; /* see race/global.c */
  struct {
    uint32_t epoch, barrier_epoch;
  } fences[MAX_WARPS]; /* the latest one of each warp */
  size_t looks[MAX_LOOKS];
  bool watches_own;        /* a check looks at threads' own memory */
  struct access_log *log;  /* see access/access.h */
  void (*lane_stopped)(struct block *b, uint32_t lane); /* null: not watched */
  map sites;               /* see access/count.c */
  struct shadow *shadow;   /* see race/race.h; null: no check for races */
  simt_counters uncounted; /* of a launch that does not count */
  uint64_t *passes;        /* see access/count.c */
} block;

/* Where the program's code and variables lie: the linker's. */
extern char __executable_start, etext, __data_start, end;

/* The block of this OS thread, null outside a launch. */
extern _Thread_local block *simt_here;
extern _Thread_local uint64_t *simt_counting; /* passes, by place */

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

/* The running fibre stops until its request is carried out. */
void block_stop(block *b);

/* The same, with this request; inline, for each further copy of it would wait
 * for what has just been stored. */
static inline void block_request(block *b, request r) {
  b->running->request = r;
  block_stop(b);
}

/* The same, and returns the thread's result; to a mechanism, with what else the
 * request has. */
static inline uint64_t block_ask(block *b, request r) {
  block_request(b, r);
  return b->running->result;
}
#define BLOCK_ASK(b, row, which, at, ...)                                      \
  block_ask(b, (request){.kind = REQUEST_CARRY_OUT,                            \
                         .pc = (at),                                           \
                         .to = (row),                                          \
                         .operation = (which),                                 \
                         __VA_ARGS__})

/* Ends the launch with an error; the running fibre never comes back. */
_Noreturn void block_abort(block *b, cudaError_t error);

static inline void block_make_ready(block *b, const thread *t) {
  b->warps[t->id / WARP_SIZE].ready |= 1u << t->lane;
}

/* 1234567 -> "1,234,567", somewhere in `text` */
const char *grouped(uint64_t n, char text[32]);

/* ---- findings: what is wrong, as the block saw it, by program counters and
 * not yet by lines ---- */

typedef struct finding {
  simt_finding said; /* without its name and places */
  uint32_t pc, other_pc;
  uint32_t caller_pc; /* in the kernel, where pc may be in the executor; or 0 */
  /* One of the two accesses, where these may be an idiom: a plain read of what
   * an atomic changes, or a volatile read of what is stored after a fence. */
  uint32_t look_pc, flag_pc;
  struct finding *before; /* of the same two program counters */
} finding;

enum { MAX_FINDINGS = 256 }; /* that are sure to be no notes */

/* What is no block's: findings of the host's own doing. */
extern block finding_host;

/* Counts the finding. Returns it where it is new in this block's OS thread, for
 * the caller to describe; null where it was seen before or there are too many
 * kinds. other_pc is 0 where there is no second place. */
finding *finding_note(block *b, simt_finding_kind kind, uint32_t pc,
                      uint32_t other_pc, uint32_t thread,
                      uint32_t other_thread);

/* The same of places that have been seen, or null. */
finding *finding_before(block *b, simt_finding_kind kind, uint32_t pc,
                        uint32_t other_pc);

__attribute__((format(printf, 7, 8))) finding *
finding_report(block *b, simt_finding_kind kind, uint32_t pc, uint32_t other_pc,
               uint32_t thread, uint32_t other_thread, const char *format, ...);

void findings_clear(block *b);

/* Of one thread, at one place: its request's, or the running thread's at `pc`;
 * and of the host. */
#define FINDING_OF_THREAD(b, kind, t, ...)                                     \
  finding_report(b, kind, (t)->request.pc, 0, (t)->id, (t)->id, __VA_ARGS__)
#define FINDING_OF_RUNNING(b, kind, pc, ...)                                   \
  finding_report(b, kind, pc, 0, (b)->running->id, (b)->running->id,           \
                 __VA_ARGS__)
#define FINDING_OF_HOST(kind, pc, ...)                                         \
  finding_report(&finding_host, kind, pc, 0, SIMT_HOST, SIMT_NO_THREAD,        \
                 __VA_ARGS__)

#define BLOCK_REFUSE(b, kind, error, pc, ...)                                  \
  (FINDING_OF_RUNNING(b, kind, pc, __VA_ARGS__), block_abort(b, error))

/* The hardware does not do what the running thread wants, or what thread t has
 * filed: the launch ends. */
#define BLOCK_MISUSE(pc, ...)                                                  \
  BLOCK_REFUSE(simt_here, SIMT_USAGE, cudaErrorIllegalInstruction, pc,         \
               __VA_ARGS__)
void block_misused(block *b, const thread *t, const char *why);
