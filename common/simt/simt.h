#pragma once

/* What a program may ask of the CPU executor beside CUDA's runtime functions:
 * which checks to run, and what they found. Findings and counters add up over
 * launches until simt_clear(). Not to be called while a kernel runs. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* True where a kernel of this program was compiled with
 * SIMT_CXXFLAGS_INSTRUMENTED.
 * Without that, loads and stores are not seen: no races, no memory counters. */
bool simt_is_instrumented(void);

/* The host has written device memory without one of CUDA's functions, as a
 * message does: it is initialised now. */
void simt_written(const void *memory, size_t size);

/* Kernels may only read it, all of its allocation: one that writes there ends
 * with a finding. False: they may again. */
void simt_input(const void *memory, bool is);

/* From now on the host may not read or write device memory on its own, as on a
 * GPU: a program that does so ends with a finding. False: it may again. */
void simt_hide_memory(bool hide);

/* What the host's thread has where a block has shared memory becomes bytes of
 * this value. */
void simt_fill_shared(int byte);

/* Off by default: an instrumented kernel then runs without looking. */
enum {
  SIMT_RACES = 1,
  SIMT_COUNTS = 2,
  SIMT_STREAMS = 4 /* with SIMT_RACES: the order of streams and the host */
};
void simt_set_checks(unsigned checks);
unsigned simt_checks(void); /* those that a launch would make */

/* In which order blocks begin and warps run: forward by default; any other
 * number is the seed of a random order. */
enum { SIMT_FORWARD = 0, SIMT_BACKWARD = 1 };
void simt_set_order(uint64_t order);

/* How many multiprocessors the device says that it has: 1 or more. 2 by
 * default, so that a grid made to fit the device has a queue of work left. */
void simt_set_multiprocessors(int count);

/* Has a program asked for that number since it was set? If not, another one
 * would have changed nothing. */
bool simt_multiprocessors_asked(void);

/* How long a block may run, in seconds of processor time, without that any of
 * its threads meets another or returns: then the launch ends with a finding.
 * 60 by default, for a kernel that never ends must not hang the program.
 * And how long it may run in all; 0, the default: without end. */
void simt_set_patience(double seconds, double of_block);

void simt_clear(void);

/* A line of a source file. `via` is the line of the device function, inlined
 * there, that holds the instruction; 0 where that is the line itself. `calls`
 * are the lines that led from the one to the other, the function's caller
 * first and `line` last; then zeros. */
enum { SIMT_CALLS = 8 };
typedef struct {
  const char *file; /* "stage1_cp_async/kernel.cu", or "" where unknown */
  int line, via;
  int calls[SIMT_CALLS];
} simt_place;

#define SIMT_KINDS(KIND)                                                       \
  KIND(SIMT_RACE, "race") /* one of them a write */                            \
  KIND(SIMT_READ_IN_FLIGHT, "read before the wait") /* of a copy */            \
  KIND(SIMT_WRITE_IN_FLIGHT, "write before the wait") /* or of a product */    \
  KIND(SIMT_NEVER_WAITED, "copy never waited for") /* or a product */          \
  KIND(SIMT_UNINITIALISED, "uninitialised read")                               \
  KIND(SIMT_INDEX, "outside the array") /* ends the launch, as do */           \
  KIND(SIMT_OUTSIDE_SHARED, "outside shared memory") /* these three */         \
  KIND(SIMT_OUTSIDE_GLOBAL, "outside global memory")                           \
  KIND(SIMT_MISALIGNED, "misaligned address")                                  \
  KIND(SIMT_DEADLOCK, "deadlock")                                              \
  KIND(SIMT_LIVELOCK, "livelock") /* threads loop, nothing changes */          \
  KIND(SIMT_BARRIER_LINES, "barrier divergence")                               \
  KIND(SIMT_BARRIER_COUNT, "barrier count") /* two counts, or half a warp */   \
  KIND(SIMT_BARRIER_REUSE, "barrier reuse")                                    \
  KIND(SIMT_TRIED_ONCE, "tried once") /* mbarrier_try_wait, no loop */         \
  KIND(SIMT_WARP_MASK, "warp mask") /* without the caller, or two */           \
  KIND(SIMT_WARP_OPERATION, "warp divergence") /* lanes at different ones */   \
  KIND(SIMT_SHUFFLE_SOURCE, "shuffle source") /* a lane that takes no part */  \
  KIND(SIMT_PROXY_FENCE, "no proxy fence")                                     \
  KIND(SIMT_ACCUMULATOR, "accumulator touched before its wait")                \
  KIND(SIMT_OPERAND, "registers of A changed before the wait")                 \
  KIND(SIMT_WGMMA_FENCE, "no wgmma fence")                                     \
  KIND(SIMT_USAGE, "wrong use") /* the hardware does not take it */            \
  KIND(SIMT_STREAM_RACE, "race of streams")                                    \
  KIND(SIMT_HOST_RACE, "race with the host")                                   \
  KIND(SIMT_ON_HOST, "device memory on the host")                              \
  KIND(SIMT_NOT_LAUNCHED, "launch error") /* and nobody asks */                \
  KIND(SIMT_FAILED_CALL, "failed call") /* from here on notes, no mistakes */  \
  KIND(SIMT_BARRIER_EXIT, "exit past a barrier")                               \
  KIND(SIMT_TWO_VARIABLES, "two variables") /* by one instruction */           \
  KIND(SIMT_MEMSET, "cudaMemset not waited for")                               \
  KIND(SIMT_PADDING, "unwritten padding") /* of structures, it seems */        \
  KIND(SIMT_CAST, "cast out of range") /* of a program's, to an integer */     \
  KIND(SIMT_SAME_VALUE, "same value") /* stored by several lanes */            \
  KIND(SIMT_FLAG, "flag with fences")                                          \
  KIND(SIMT_CAS_LOOP, "compare-and-swap loop") /* its plain first look */

typedef enum {
#define SIMT_KIND(kind, name) kind,
  SIMT_KINDS(SIMT_KIND) SIMT_FINDING_KINDS,
#undef SIMT_KIND
  SIMT_NOTES = SIMT_FAILED_CALL
} simt_finding_kind;

/* In place of a thread: the host, or one of which no more is known. */
enum { SIMT_HOST = 0x7fffffff, SIMT_NO_THREAD = 0x7ffffffe };

enum { SIMT_WAITERS = 12 };
typedef struct {
  simt_place place;
  uint32_t pc;
  char who[128], what[112]; /* "warps 4 to 7", "k_full + 8, phase 0 ..." */
} simt_waiter;

typedef struct {
  simt_finding_kind kind;
  const char *name;       /* "race", "deadlock" ... */
  simt_place here, other; /* other.line is 0 where there is one line only */
  unsigned thread, other_thread; /* within the block, x fastest */
  unsigned block[3];
  uint64_t block_number;  /* x fastest */
  uint64_t count;         /* how often, over all blocks */
  char where[96];         /* "tile_k + 128", "" where it is not about memory */
  char sentence[192];     /* what happened, in one sentence */
  unsigned waiter_count;
  simt_waiter waiters[SIMT_WAITERS];
} simt_finding;

/* The findings, in the order of their lines, without the notes, which lie after
 * them: simt_notes. Valid until the next launch or simt_clear(). */
size_t simt_findings(const simt_finding **findings);
size_t simt_notes(const simt_finding **notes);

/* Counted in warp instructions, as a profiler does, unless it says otherwise.
 * A wavefront is one pass through the 32 banks of shared memory; a sector is
 * 32 bytes of global memory. The ideal is what the same lanes would need
 * without bank conflicts, or with all their bytes side by side. Some are not
 * mentioned where they, or those beside them, are 0. */
#define SIMT_COUNTERS(TOTAL, RARE, BESIDE)                                     \
  TOTAL(shared_loads, "shared loads")                                          \
  TOTAL(shared_stores, "shared stores")                                        \
  TOTAL(shared_wavefronts, "shared wavefronts")                                \
  TOTAL(shared_wavefronts_ideal, "  without bank conflicts")                   \
  TOTAL(bank_conflicts, "bank conflicts") /* wavefronts beyond the ideal */    \
  TOTAL(global_loads, "global loads")                                          \
  TOTAL(global_stores, "global stores")                                        \
  TOTAL(global_load_sectors, "global load sectors")                            \
  TOTAL(global_store_sectors, "global store sectors")                          \
  TOTAL(global_sectors_ideal, "  sectors if side by side")                     \
  TOTAL(async_copies, "cp.async instructions")                                 \
  TOTAL(async_copy_bytes, "cp.async bytes")                                    \
  /* still under way after a wait; of all waits */                             \
  BESIDE(async_bytes_left, async_copies, "  under way after waits")            \
  TOTAL(ldmatrix, "ldmatrix")                                                  \
  /* HMMA: two for each 16x16x16 WMMA */                                       \
  TOTAL(tensor_instructions, "tensor-core instructions")                       \
  /* as sm__inst_executed_pipe_tensor_op_gmma: one a warp of each product */   \
  RARE(wgmma_instructions, "wgmma instructions")                               \
  RARE(tma_loads, "TMA loads") /* single instructions */                       \
  RARE(tma_bytes, "TMA bytes") /* of the tiles */                              \
  /* of lanes; a fused one is two */                                           \
  TOTAL(tensor_flops, "tensor-core operations")                                \
  TOTAL(scalar_flops, "other float operations")                                \
  TOTAL(barriers, "barriers, by block") /* times that a block passed one */    \
  TOTAL(warp_syncs, "warp syncs")                                              \
  TOTAL(shuffles, "shuffles and votes")                                        \
  TOTAL(atomics, "atomics")                                                    \
  TOTAL(lane_accesses, "accesses of single lanes")

typedef struct {
#define SIMT_COUNTER(field, ...) uint64_t field;
  SIMT_COUNTERS(SIMT_COUNTER, SIMT_COUNTER, SIMT_COUNTER)
#undef SIMT_COUNTER
} simt_counters;

typedef struct {
  simt_place place;
  const char *operation; /* "shared load", "barrier" ... */
  unsigned width; /* bytes of a lane's widest load or store there */
  simt_counters counters;
} simt_line;

/* One entry a line and operation, in the order of the lines; and their sum.
 * Valid until the next launch or simt_clear(). */
size_t simt_lines(const simt_line **lines, simt_counters *total);

/* Tables for a reader, 100 columns at most. */
void simt_print_findings(FILE *out); /* and notes */
/* What the checks of this program did not look at, in two lines. */
void simt_print_unchecked(FILE *out);
void simt_print_counters(FILE *out);

/* New reference; arithmetic in the total only. */
json_t *simt_counters_json(void);
