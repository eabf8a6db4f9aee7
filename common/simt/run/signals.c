/* What the system's signals tell of a kernel: accesses that it refuses, and a
 * block that runs on and on. */

#include "common/simt/run/launch.h"
#include "common/simt/run/mechanism.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

registers registers_of(const void *context) {
  const ucontext_t *c = context;
#if defined(__x86_64__)
  return (registers){(uintptr_t)c->uc_mcontext.gregs[REG_RIP],
                     (uintptr_t)c->uc_mcontext.gregs[REG_RSP]};
#elif defined(__aarch64__)
  return (registers){(uintptr_t)c->uc_mcontext.pc,
                     (uintptr_t)c->uc_mcontext.sp};
#else
  (void)c;
  return (registers){0};
#endif
}

uint32_t place_of_instruction(uintptr_t pc) {
  return pc && pc < UINT32_MAX ? (uint32_t)pc + 1 : 0;
}

/* ---- accesses that the system refuses ---- */

enum { HANDLER_STACK = 64 * 1024 };

static struct sigaction before;

/* One that moves 16 bytes at once, and so wants their address aligned: of those
 * that the compiler uses. */
static bool is_of_16_bytes(const uint8_t *code) {
#ifdef __x86_64__
  while (*code == 0x66 || *code == 0x64 || (*code & 0xf0) == 0x40) code++;
  return code[0] == 0x0f && (code[1] == 0x28 || code[1] == 0x29 ||
                             (code[1] >= 0x50 && code[1] < 0x80) ||
                             code[1] > 0xbf);
#else
  (void)code;
  return false;
#endif
}

/* The fibre that failed is left for good, so nothing of it is repaired. */
static void on_fault(int number, siginfo_t *info, void *context) {
  block *b = simt_here;
  if (!b || !b->running) {
    sigaction(number, &before, NULL); /* not a kernel's: it fails again */
    return;
  }
  const thread *t = b->running;
  const uintptr_t address = (uintptr_t)info->si_addr;
  const uint32_t pc = place_of_instruction(registers_of(context).pc);
  /* The guard page, and no wild pointer: the stack has grown into it. */
  if (address - (uintptr_t)t->stack < PAGE &&
      address - registers_of(context).stack_pointer + PAGE < 2 * PAGE)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "the thread's local variables need more than %d KiB",
                 STACK_SIZE / 1024);
  if (info->si_code == SI_KERNEL) { /* which says no address */
    if (is_of_16_bytes((const uint8_t *)registers_of(context).pc))
      BLOCK_REFUSE(b, SIMT_MISALIGNED, cudaErrorMisalignedAddress, pc,
                   "16 bytes at an address that is not a multiple of 16");
    BLOCK_REFUSE(b, SIMT_OUTSIDE_GLOBAL, cudaErrorIllegalAddress, pc,
                 "an access to an address that no memory can have");
  }
  if (info->si_code == SEGV_ACCERR && address != registers_of(context).pc &&
      address - (uintptr_t)t->stack >= PAGE)
    BLOCK_REFUSE(b, SIMT_USAGE, cudaErrorIllegalAddress, pc,
                 "a write to %#lx, in memory that the kernel may only read: an "
                 "input, or a constant",
                 (unsigned long)address);
  BLOCK_REFUSE(b, SIMT_OUTSIDE_GLOBAL, cudaErrorIllegalAddress, pc,
               "an access to %#lx, in no memory of this program",
               (unsigned long)address);
}

void fault_begin(void) {
  struct sigaction ours = {.sa_sigaction = on_fault,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigaction(SIGSEGV, &ours, &before);
}

void fault_end(void) { sigaction(SIGSEGV, &before, NULL); }

/* ---- kernels that never end ---- */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { TICKS_A_SECOND = 10 };

static double patience = 60, patience_of_block;
void simt_set_patience(double seconds, double of_block) {
  patience = seconds;
  patience_of_block = of_block;
}

/* In the C library a lock may be held, and in the scheduler the fibre is not
 * the one that would be left behind: then the next tick will do. */
static bool may_stop(const block *b, registers r) {
  return b->running && r.pc >= (uintptr_t)&__executable_start &&
         r.pc < (uintptr_t)&etext &&
         r.stack_pointer - (uintptr_t)b->running->stack < STACK_SIZE;
}

static void on_tick(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  block *b = simt_here;
  if (!b) return;
  if (b->watched_progress != b->progress) b->watched_ticks = 0;
  b->watched_progress = b->progress;
  const bool alone = ++b->watched_ticks > patience * TICKS_A_SECOND;
  const bool block = ++b->block_ticks > patience_of_block * TICKS_A_SECOND;
  const registers r = registers_of(context);
  if ((!alone && !(patience_of_block && block)) || !may_stop(b, r)) return;
  thread *t = b->running;
  uint32_t caller_pc = 0;
  for (mechanism *const *m = b->mechanisms; *m; m++)
    if ((*m)->interrupted) caller_pc = (*m)->interrupted(b, t);
  const uint32_t pc = alone ? place_of_instruction(r.pc) : t->request.pc;
  finding *f = finding_note(b, SIMT_LIVELOCK, pc, 0, t->id, t->id);
  if (f) {
    f->caller_pc = caller_pc;
    snprintf(f->said.sentence, sizeof f->said.sentence,
             alone ? "the thread still runs after %g seconds in which no "
                     "thread of its block has met another or returned; one "
                     "that waits for a word needs an atomic or __nanosleep()"
                   : "its block still runs after %g seconds: a loop in which "
                     "threads meet again and again",
             alone ? patience : patience_of_block);
    waiting_list(b, f);
  }
  block_abort(b, cudaErrorLaunchTimeout);
}

watch watch_begin(void) {
  stack_t stack = {.ss_sp = reallocate(NULL, HANDLER_STACK),
                   .ss_size = HANDLER_STACK};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_sigaction = on_tick,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
                                         SA_RESTART};
  sigaction(SIGVTALRM, &action, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                           .sigev_signo = SIGVTALRM};
  event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
  const struct timespec tick = {.tv_nsec = 1000000000 / TICKS_A_SECOND};
  const struct itimerspec time = {.it_interval = tick, .it_value = tick};
  watch w = {0};
  w.runs = !timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &w.timer);
  if (w.runs) timer_settime(w.timer, 0, &time, NULL);
  return w;
}

void watch_end(watch w) {
  stack_t stack;
  const stack_t none = {.ss_flags = SS_DISABLE};
  if (w.runs) timer_delete(w.timer);
  sigaltstack(&none, &stack);
  free(stack.ss_sp);
}
