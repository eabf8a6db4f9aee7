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

#endif
