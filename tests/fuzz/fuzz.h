#ifndef FUZZ_H
#define FUZZ_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the programs here have in common, which libFuzzer calls with inputs that
 * it makes from those in corpus/ and watches for new ways through the code. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is left by a longjmp, past the end that a program would have had, is
 * lost; and nothing can be counted under a tracer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

/* What must hold of any input; else libFuzzer keeps the input and fails. */
#define MUST(condition)                                                        \
  do {                                                                         \
    if (condition) break;                                                      \
    fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__,     \
            #condition);                                                       \
    abort();                                                                   \
  } while (0)

/* The input as a text, in memory of its own so that the sanitizers see each
 * step behind its end. To be freed. */
static inline char *text_of(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) abort();
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

#endif
