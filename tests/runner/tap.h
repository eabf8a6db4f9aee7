#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

/* What a test program printed, read as TAP (testanything.org). A program may
 * print several plans, as cmocka does, one for each group: they add up. */
typedef struct {
  int passed, failed, skipped;
  char why[96]; /* one sentence if the program broke its word, else "" */
} tap;

/* A program that died, ran fewer tests than it planned, or none, has failed,
 * whatever it printed. */
tap tap_read(const char *text, int exit_code);

/* The reason of each skip, a line each, as "skipped NAME # SKIP WHY". The
 * caller frees it. */
char *tap_skips(const char *text);

/* What it said about its failures: all but passes, the last sixty lines. */
void tap_print_failures(const char *text);

#endif
