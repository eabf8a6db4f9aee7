#include "tools/tensors/safetensors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole(safetensors *s, const char *path, reason *why) {
  FILE *file = fopen(path, "rb");
  if (!file) return refuse(why, "Cannot read %s: %s.", path, strerror(errno));
  bool good = fseek(file, 0, SEEK_END) == 0;
  const long size = good ? ftell(file) : -1;
  good = size >= 0 && fseek(file, 0, SEEK_SET) == 0;
  s->size = good ? (size_t)size : 0;
  s->bytes = good ? malloc(s->size + 1) : NULL;
  good = s->bytes && fread(s->bytes, 1, s->size, file) == s->size;
  fclose(file);
  return good ? true : refuse(why, "Cannot read all of %s.", path);
}

bool safetensors_open(safetensors *s, const char *path, reason *why) {
  json_error_t error;
  uint64_t length = 0;
  *s = (safetensors){0};
  if (!read_whole(s, path, why)) return false;
  for (int i = 7; i >= 0 && s->size > 8; i--)
    length = length << 8 | s->bytes[i];
  if (s->size > 8 && length <= s->size - 8)
    s->header = json_loadb((char *)s->bytes + 8, (size_t)length, 0, &error);
  if (!s->header)
    return refuse(why, "%s is no whole file of safetensors.", path);
  s->start = 8 + (size_t)length;
  return true;
}

void safetensors_close(safetensors *s) {
  json_decref(s->header);
  free(s->bytes);
  *s = (safetensors){0};
}

const float *safetensors_find(const safetensors *s, const char *name,
                              size_t count, reason *why) {
  json_int_t begin = -1, end = -1;
  const char *type = "";
  const json_t *entry = json_object_get(s->header, name);
  const size_t room = s->size - s->start;
  if (json_unpack((json_t *)entry, "{s:s, s:[I,I]}", "dtype", &type,
                  "data_offsets", &begin, &end) ||
      strcmp(type, "F32") || begin < 0 || end < begin ||
      (uint64_t)end > room || (size_t)(end - begin) != count * sizeof(float) ||
      (s->start + (size_t)begin) % sizeof(float)) {
    refuse(why, "The model has no %s of %zu numbers in float32.", name, count);
    return NULL;
  }
  return (const float *)(const void *)(s->bytes + s->start + begin);
}
