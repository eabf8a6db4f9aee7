#include "common/simt/run/fibre.h"

#include <string.h>

#if defined(__x86_64__) && !defined(FIBRE_UCONTEXT)

/* Only the registers that a called function must keep are saved. The last jump
 * is not a `ret`: the processor would predict the wrong place to return to. */
__asm__(".text\n"
        ".globl fibre_switch\n"
        ".type fibre_switch, @function\n"
        "fibre_switch:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq (%rsi), %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  popq %rcx\n"
        "  jmp *%rcx\n"
        ".size fibre_switch, . - fibre_switch\n");

void fibre_prepare(fibre *f, void *stack, size_t size, void (*entry)(void)) {
  /* Six registers, where to start, and a return address that is never used:
   * with it, the stack is aligned as after a call. */
  enum { REGISTERS = 6, WORDS = REGISTERS + 2 };
  void **top = (void **)((char *)stack + size) - WORDS;
  memset(top, 0, WORDS * sizeof *top);
  memcpy(&top[REGISTERS], &entry, sizeof entry);
  f->stack_pointer = top;
}

#else

void fibre_prepare(fibre *f, void *stack, size_t size, void (*entry)(void)) {
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = stack;
  f->context.uc_stack.ss_size = size;
  f->context.uc_link = NULL;
  makecontext(&f->context, entry, 0);
}

void fibre_switch(fibre *from, fibre *to) {
  swapcontext(&from->context, &to->context);
}

#endif
