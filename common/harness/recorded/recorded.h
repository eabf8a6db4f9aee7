#ifndef RECORDED_H
#define RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "common/harness/program/reason.h"

/* Q, K and V of a model's layers, recorded while it read a text: the file
 * common/tensors/minilm.qkv, of which common/tensors/README.md says more. A
 * line of text, RECORDED_HEADER bytes with blanks at its end, says how many
 * layers, heads, rows and numbers a row there are, and has a checksum of what
 * follows: fp16 numbers, the low byte first, [layer][q, k, v][head][row]. */

#define RECORDED_FILE "common/tensors/minilm.qkv"
enum { RECORDED_HEADER = 96 };
/* For scanf, with four ints and a uint64_t, and for printf. */
#define RECORDED_LINE                                                          \
  "recorded tensors 1: layers %d heads %d rows %d width %d checksum %016lx\n"

typedef struct {
  int layers, heads, rows, width;
  uint16_t *values; /* the bits of the fp16 numbers */
} recorded;

typedef enum { RECORDED_Q, RECORDED_K, RECORDED_V } recorded_tensor;

size_t recorded_count(const recorded *r);

/* FNV-1a (Fowler, Noll and Vo, RFC 9923) of these bytes. */
uint64_t recorded_checksum(const unsigned char *bytes, size_t size);

/* Reads RECORDED_FILE, or another. False with one sentence if it cannot be
 * read, is something else, is cut off, or is damaged. */
bool recorded_open(recorded *r, const char *path, reason *why);
void recorded_close(recorded *r);

/* The numbers of one head, [rows][width]. Heads count through all layers, and
 * begin again behind the last. */
const uint16_t *recorded_head(const recorded *r, recorded_tensor tensor,
                              int64_t head);

#endif
