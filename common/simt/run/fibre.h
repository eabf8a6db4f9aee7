#ifndef FIBRE_H
#define FIBRE_H

/* A fibre is a stack and the registers to go on with. Switching costs a few
 * nanoseconds on x86-64, where it is ten instructions, and about 300 with the
 * C library's ucontext elsewhere. */

#include <stddef.h>

#if defined(__x86_64__) && !defined(FIBRE_UCONTEXT)
typedef struct {
  void *stack_pointer;
} fibre;
#else
#include <ucontext.h>
typedef struct {
  ucontext_t context;
} fibre;
#endif

/* Makes `f` start in `entry`, which must not return, at its first switch. The
 * stack's end must be 16-byte aligned. */
void fibre_prepare(fibre *f, void *stack, size_t size, void (*entry)(void));

/* Stops the caller in `from` and goes on with `to`. */
void fibre_switch(fibre *from, fibre *to);

#endif
