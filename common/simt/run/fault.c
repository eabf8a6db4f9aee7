#include "common/simt/run/finding.h"
#include "common/simt/run/launch.h"
#include "common/simt/run/registers.h"

#include <signal.h>
#include <stdlib.h>

enum { HANDLER_STACK = 64 * 1024 };

static struct sigaction before;

/* The fibre that failed is left for good, so nothing of it is repaired. */
static void on_fault(int number, siginfo_t *info, void *context) {
  block *b = simt_here;
  if (!b || !b->running) {
    sigaction(number, &before, NULL); /* not a kernel's: it fails again */
    return;
  }
  const thread *t = b->running;
  const uintptr_t address = (uintptr_t)info->si_addr;
  const uint32_t pc = place_of(registers_of(context).pc);
  if (address - (uintptr_t)t->stack < PAGE)
    finding_of_running(b, SIMT_USAGE, pc,
                       "the thread's local variables need more than %d KiB",
                       STACK_SIZE / 1024);
  else
    finding_of_running(b, SIMT_OUTSIDE_GLOBAL, pc,
                       "an access to %#lx, in no memory of this program",
                       (unsigned long)address);
  block_abort(b, cudaErrorIllegalAddress);
}

void fault_begin(void) {
  struct sigaction ours = {.sa_sigaction = on_fault,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, &before);
}

void fault_end(void) { sigaction(SIGSEGV, &before, NULL); }

void fault_thread_begin(void) {
  stack_t stack = {.ss_sp = malloc(HANDLER_STACK), .ss_size = HANDLER_STACK};
  if (!stack.ss_sp) abort();
  sigaltstack(&stack, NULL);
}

void fault_thread_end(void) {
  stack_t stack;
  sigaltstack(NULL, &stack);
  void *memory = stack.ss_sp;
  stack = (stack_t){.ss_flags = SS_DISABLE};
  sigaltstack(&stack, NULL);
  free(memory);
}
