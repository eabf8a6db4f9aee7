#pragma once

#include "common/simt/run/block.h"

#include <time.h>

enum { MAX_WORKERS = 256 };

/* One entry an OS thread, kept from launch to launch. */
extern block *launch_workers[MAX_WORKERS];
extern uint32_t launch_worker_count;

/* Runs the blocks of an allowed launch over the OS threads, with a table of
 * mechanisms that ends in null. Returns what ended it early, or cudaSuccess.
 * One launch at a time. */
cudaError_t launch_run(const simt_kernel_launch *l,
                       mechanism *const *mechanisms, unsigned checks);

extern unsigned launch_wanted_checks;

/* Runs all threads of the block, until they have returned or b->error is set.
 */
void scheduler_run(block *b);

/* True where two threads that wait have come to their places by other calls,
 * which nvcc inlines and g++ may not. `places`: where the two part. */
bool came_otherwise(const block *b, const thread *one, const thread *other,
                    uint32_t places[2]);

/* Tells of lanes of a warp that have not come by one instruction, that of lane
 * `one`. True where there are none. */
bool check_one_instruction(block *b, const warp *w, const thread *one,
                           uint32_t lanes);

/* The nth block to begin, of `total`, in this order. */
uint64_t turns_block(uint64_t order, uint64_t n, uint64_t total);

/* Lists in the finding all threads of a block that wait, by what they wait for
 * and where, for a block in which nobody can go on. */
void waiting_list(const block *b, finding *f);

/* An access that the operating system refuses ends the kernel with CUDA's
 * error for it, and not the program. */

void fault_begin(void); /* once a launch */
void fault_end(void);

/* Ends a block whose threads run on and on: a loop that never ends calls
 * nothing of the executor where the kernel is not instrumented. */

typedef struct {
  bool runs;
  timer_t timer;
} watch;

/* Watches the calling OS thread, and has a stack for its signals, until
 * watch_end. Without a timer to be had, it goes unwatched. */
watch watch_begin(void);
void watch_end(watch w);

/* Of a program with its own main: says in a long launch how far it is, and runs
 * the first and the last blocks alone, so many in all, where that is not 0. */
extern bool launch_is_of_program;
extern uint64_t launch_only_blocks;
extern bool launch_left_out; /* some blocks have not run */

/* From a signal: the launch that runs ends after the blocks that run now. False
 * where none does. */
bool launch_interrupt(void);
bool launch_interrupted(void);

/* Where a signal has interrupted a thread; zeros on a processor whose registers
 * are unknown here. */
typedef struct {
  uintptr_t pc, stack_pointer;
} registers;
registers registers_of(const void *context);

/* An instruction as findings name it: by an address just after its start, as
 * if it had been a call. */
uint32_t place_of_instruction(uintptr_t pc);
