#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <jansson.h>
#include <stdint.h>

#include "common/harness/program/reason.h"

/* A file of weights in the format safetensors: eight bytes with the length of
 * a header in JSON, the header, and then the numbers
 * (https://huggingface.co/docs/safetensors). */
typedef struct {
  unsigned char *bytes; /* the whole file */
  size_t size, start;   /* where the numbers begin */
  json_t *header;
} safetensors;

/* False with one sentence where it cannot be read or is no such file. */
bool safetensors_open(safetensors *s, const char *path, reason *why);
void safetensors_close(safetensors *s);

/* The numbers of the tensor `name`, which must be `count` of float32; NULL with
 * one sentence where there are none such. Owned by the file. */
const float *safetensors_find(const safetensors *s, const char *name,
                              size_t count, reason *why);

#endif
