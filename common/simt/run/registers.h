#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

/* Where a signal has interrupted a thread; zeros on a processor whose
 * registers are unknown here. */
typedef struct {
  uintptr_t pc, stack_pointer;
} registers;

static inline registers registers_of(const void *context) {
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

/* An instruction as findings name it: by an address just after its start, as
 * if it had been a call. */
static inline uint32_t place_of(uintptr_t pc) {
  return pc && pc < UINT32_MAX ? (uint32_t)pc + 1 : 0;
}

#endif
