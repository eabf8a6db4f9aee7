#ifndef REASON_H
#define REASON_H

#include <stdbool.h>

/* Why something could not be done: one sentence for the reader. */
typedef struct {
  char text[1024];
} reason;

/* Writes the sentence as printf does, cut at the buffer's end. Returns false,
 * so that a function can refuse with `return refuse(why, ...)`. */
__attribute__((format(printf, 2, 3))) bool refuse(reason *why,
                                                  const char *format, ...);

/* The last words of a program: all that it printed, then "program: sentence"
 * on standard error, or the sentence alone where `program` is NULL. Returns
 * the exit code, as in `return give_up("floor", EXIT_FAILED, why.text)`. */
int give_up(const char *program, int code, const char *sentence);

/* What every program here says to the shell. */
enum {
  EXIT_PASS = 0,
  EXIT_FAILED = 1,    /* a gate, a check or a comparison */
  EXIT_USAGE = 2,     /* a wrong command line */
  EXIT_IMPOSSIBLE = 3 /* this machine cannot do that */
};

#endif
