#include "common/simt/fault.h"
#include "common/simt/flaws.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

enum { HANDLER_STACK = 64 * 1024, PAGE = 4096 };

static struct sigaction before;

/* The address after the instruction that failed, as if it had been a call; 0
 * where this processor's registers are unknown here. */
static uint32_t place_of(const ucontext_t *context) {
#if defined(__x86_64__)
  const uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  const uintptr_t pc = (uintptr_t)context->uc_mcontext.pc;
#else
  const uintptr_t pc = context ? UINT32_MAX : 0;
#endif
  return pc < UINT32_MAX ? (uint32_t)pc + 1 : 0;
}

/* The fibre that failed is left for good, so nothing of it is repaired. */
static void on_fault(int number, siginfo_t *info, void *context) {
  block *b = simt_here;
  if (!b || !b->running) {
    sigaction(number, &before, NULL); /* not a kernel's: fails again, for real */
    return;
  }
  const thread *t = b->running;
  const uintptr_t address = (uintptr_t)info->si_addr;
  const uint32_t pc = place_of(context);
  if (address - (uintptr_t)t->stack < PAGE)
    flaw_report(b, SIMT_USAGE, pc, 0, t->id, t->id,
                "the thread's local variables need more than %d KiB",
                STACK_SIZE / 1024);
  else
    flaw_report(b, SIMT_OUTSIDE_GLOBAL, pc, 0, t->id, t->id,
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
