#include "common/harness/recorded/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSORS = 3, SIZE_MAX_OF_EACH = 1 << 12 };

size_t recorded_count(const recorded *r) {
  return (size_t)r->layers * TENSORS * (size_t)r->heads * (size_t)r->rows *
         (size_t)r->width;
}

uint64_t recorded_checksum(const unsigned char *bytes, size_t size) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
  return sum;
}

static bool size_fits(int size) { return size > 0 && size <= SIZE_MAX_OF_EACH; }

static bool read_header(recorded *r, FILE *file, uint64_t *checksum) {
  char line[RECORDED_HEADER + 1] = "";
  return fread(line, 1, RECORDED_HEADER, file) == RECORDED_HEADER &&
         sscanf(line, RECORDED_LINE, &r->layers, &r->heads, &r->rows,
                &r->width, checksum) == 5 &&
         size_fits(r->layers) && size_fits(r->heads) && size_fits(r->rows) &&
         size_fits(r->width) && recorded_count(r) < (size_t)1 << 30;
}

/* The bytes behind the header, as long as they should be; in `bytes` is room
 * for one more. */
static bool read_values(unsigned char *bytes, size_t size, uint64_t checksum,
                        FILE *file, const char *path, reason *why) {
  const size_t got = fread(bytes, 1, size + 1, file);
  if (got < size)
    return refuse(why, "%s is cut off: it lacks %zu of %zu bytes.", path,
                  size - got, size);
  if (got > size || recorded_checksum(bytes, size) != checksum)
    return refuse(why, "%s is damaged: its checksum is not that of its "
                       "numbers.", path);
  return true;
}

static bool read_file(recorded *r, FILE *file, const char *path, reason *why) {
  uint64_t checksum = 0;
  if (!read_header(r, file, &checksum))
    return refuse(why, "%s does not begin as recorded tensors do.", path);
  const size_t count = recorded_count(r);
  unsigned char *bytes = malloc(2 * count + 1);
  r->values = malloc(2 * count);
  bool good = bytes && r->values;
  if (!good) refuse(why, "Too little memory for the recorded tensors.");
  good = good && read_values(bytes, 2 * count, checksum, file, path, why);
  for (size_t i = 0; good && i < count; i++)
    r->values[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
  free(bytes);
  return good;
}

bool recorded_open(recorded *r, const char *path, reason *why) {
  *r = (recorded){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return refuse(why, "Cannot read the recorded tensors, %s: %s.", path,
                  strerror(errno));
  const bool good = read_file(r, file, path, why);
  fclose(file);
  if (!good) recorded_close(r);
  return good;
}

void recorded_close(recorded *r) {
  free(r->values);
  *r = (recorded){0};
}

const uint16_t *recorded_head(const recorded *r, recorded_tensor tensor,
                              int64_t head) {
  const int64_t layer = head / r->heads % r->layers;
  return r->values + ((layer * TENSORS + tensor) * r->heads + head % r->heads) *
                         r->rows * r->width;
}
