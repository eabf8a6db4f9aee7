/* The top floor: what the executor is made of, and a launch from the kernel's
 * side. Below, nobody knows the table; each row is handed down to run/. */

#include "common/simt/host/host.h"
#include "common/simt/race/race.h"
#include "common/simt/run/launch.h"
#include "common/simt/sync/sync.h"
#include "common/simt/tensor/tensor.h"

#include <pthread.h>

static mechanism *const mechanisms[] = {
    /* memory, and who looks at the accesses */
    &shared_memory, &access_log, &race_check, &proxy_check, &counters,
    &arithmetic_counter, &operand_check,
    /* instructions; barriers last, so that a thread that returns has ended what
     * it had under way before others learn that it has returned */
    &collectives, &active_lanes, &fences, &matrices, &mbarriers, &async_copies,
    &tma_loads, &warpgroups, &barriers, NULL};

_Static_assert(sizeof mechanisms / sizeof *mechanisms <= MAX_MECHANISMS + 1,
               "a block has room for their states");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Is it on the main thread's stack, above this frame? */
static bool on_stack(uintptr_t address) {
  enum { STACK = 64 << 20 };
  extern void *__libc_stack_end;
  const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  const uintptr_t used = (uintptr_t)__libc_stack_end - frame;
  return used < STACK && address - frame < used;
}

/* Constants of the program, and what lies on the stack of the caller. */
void simt_argument(const volatile void *pointer) {
  const uintptr_t address = (uintptr_t)pointer;
  const bool constant = is_constant(address);
  if (error_sticky() || address - arena_low < arena_size ||
      !(constant || on_stack(address)))
    return;
  FINDING_OF_HOST(SIMT_OUTSIDE_GLOBAL, CALLER,
                  "the kernel gets a pointer to host memory, %s",
                  constant ? "a constant of the program"
                           : "a variable of who launches it");
  error_set_sticky(cudaErrorIllegalAddress);
}

void simt_launch(const simt_kernel_launch *l) {
  if (error_sticky()) return;
  pthread_mutex_lock(&lock);
  const cudaError_t refused = limits_judge(l);
  if (refused) {
    error_of_launch(refused, l, CALLER);
  } else {
    const unsigned checks = simt_checks();
    streams_begin(stream_number(l->stream), l->name);
    if (checks & SIMT_RACES)
      global_prepare((uint64_t)l->grid.x * l->grid.y * l->grid.z);
    else
      arena_all_written();
    arena_reach(true);
    arena_keep_inputs(true);
    const cudaError_t error = launch_run(l, mechanisms, checks);
    arena_keep_inputs(false);
    arena_reach(false);
    if (error) error_set_sticky(error);
    if (launch_left_out) arena_all_written();
    if (launch_interrupted()) exit(EXIT_FAILED);
  }
  pthread_mutex_unlock(&lock);
}

void simt_clear(void) {
  findings_clear(&finding_host);
  for (uint32_t i = 0; i < launch_worker_count; i++) {
    block *b = launch_workers[i];
    findings_clear(b);
    map_clear(&b->cas_looks, false);
    FOR_EACH_MECHANISM(b, clear, b);
  }
}
