#ifndef RESOURCES_KINDS_H
#define RESOURCES_KINDS_H

/* The sums that the book speaks of, of one kernel's instructions. */

enum { WIDTHS = 5 }; /* 16, 8, 4, 2 and 1 bytes of one thread */

typedef struct {
  int instructions, tensor, copies, ldmatrix, barriers, mbarriers, mufu,
      converts, locals;
  int accesses[4][WIDTHS]; /* global loads, global stores, shared ... */
} kinds;

/* Adds one opcode, of SASS (upper case) or PTX (lower), to a kinds. */
void kinds_add(void *sums, const char *opcode);

/* A row of the table, and the lines below it: widths of loads and stores. */
void kinds_print(const kinds *k, const char *name);

#endif
