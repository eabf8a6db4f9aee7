#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Why something could not be done: one sentence for the reader. A function that
 * takes one fills it where it returns false, or another exit code than 0. */
typedef struct {
  char text[1024];
} reason;

/* Writes the sentence as printf does, cut at the buffer's end. Returns false,
 * so that a function can refuse with `return refuse(why, ...)`. */
__attribute__((format(printf, 2, 3))) bool refuse(reason *why,
                                                  const char *format, ...);

/* Adds to a text what printf would say, cut at the buffer's end. */
__attribute__((format(printf, 3, 4))) static inline void
add_text(char *text, size_t size, const char *format, ...) {
  const size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, size - used, format, values);
  va_end(values);
}

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The last words of a program: all that it printed, then "program: sentence"
 * on standard error, or the sentence alone where `program` is NULL. Returns
 * the exit code, as in `return give_up("floor", EXIT_FAILED, why.text)`. */
int give_up(const char *program, int code, const char *sentence);

enum {
  EXIT_PASS = 0,
  EXIT_FAILED = 1,    /* a gate, a check or a comparison */
  EXIT_USAGE = 2,     /* a wrong command line */
  EXIT_IMPOSSIBLE = 3 /* this machine cannot do that */
};

/* Names what the host does now: an NVTX range for a profiler's time line, and
 * a line on stderr where that is a terminal and the work takes over a second.
 * `total` is the number of steps, 0 where it is not known. Phases nest. */
void phase_begin(const char *name, long total);
void phase_step(void);
void phase_end(void);

/* What the command lines of all programs have in common, on top of argp. */

enum { ARGUMENTS_MAX = 32 };

typedef struct {
  const char *texts[ARGUMENTS_MAX + 1]; /* NULL-terminated */
  int count;
} text_list;

struct argp;
struct argp_state;

/* Reads the command line into `input`. A wrong one ends the program with exit
 * code 2. */
void arguments_parse(const struct argp *parser, int argc, char **argv,
                     void *input);

__attribute__((format(printf, 2, 3))) void
argument_wrong(const struct argp_state *state, const char *format, ...);

/* All of `text` as a number from `least` to `most`, or the program's end. With
 * UINT64_MAX the sentence names no upper limit. `what` begins it. */
uint64_t argument_number(const struct argp_state *state, const char *what,
                         const char *text, uint64_t least, uint64_t most);

/* Numbers as in "0,1,2", or the program's end. Takes `list` apart. Returns how
 * many: 1 to ARGUMENTS_MAX. */
int argument_seeds(const struct argp_state *state, char *list,
                   uint64_t seeds[ARGUMENTS_MAX]);

/* Which of these verbs, NULL-terminated, the only word of the command line is;
 * or the program's end, where `list` says what there is. */
int argument_verb(const struct argp_state *state, const char *word,
                  const char *const *verbs, const char *list);

void argument_add(const struct argp_state *state, text_list *list,
                  const char *text);
