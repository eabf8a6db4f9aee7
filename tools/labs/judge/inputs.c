#include "tools/labs/judge/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  attention_shape shape;
  double softmax_scale;
  int multiprocessors;
} header;

enum { ARRAYS = 6 };

/* Each array of a problem that a kernel gets, with its bytes. */
static void arrays_of(problem *p, void ***where, size_t *bytes) {
  const attention_shape *s = &p->shape;
  const size_t q = attention_shape_elements(s);
  const size_t kv = attention_shape_kv_elements(s);
  const size_t scales = (size_t)(s->batch * s->heads) * sizeof(float);
  const size_t kv_scales = (size_t)(s->batch * s->kv_heads) * sizeof(float);
  void **const all[ARRAYS] = {
      (void **)&p->q_codes, (void **)&p->k_codes, (void **)&p->v_codes,
      (void **)&p->q_scale, (void **)&p->k_scale, (void **)&p->v_scale};
  const size_t sizes[ARRAYS] = {q, kv, kv, scales, kv_scales, kv_scales};
  memcpy(where, all, sizeof all);
  memcpy(bytes, sizes, sizeof sizes);
}

bool inputs_write(FILE *file, const problem *p, int multiprocessors,
                  reason *why) {
  problem copy = *p;
  void **where[ARRAYS];
  size_t bytes[ARRAYS];
  const header h = {p->shape, p->softmax_scale, multiprocessors};
  arrays_of(&copy, where, bytes);
  bool good = fwrite(&h, sizeof h, 1, file) == 1;
  for (int i = 0; i < ARRAYS && good; i++)
    good = fwrite(*where[i], 1, bytes[i], file) == bytes[i];
  return good ||
         refuse(why, "The inputs cannot be written: %s.", strerror(errno));
}

int inputs_read(FILE *file, problem *p, int *multiprocessors, reason *why) {
  header h;
  void **where[ARRAYS];
  size_t bytes[ARRAYS];
  const size_t got = fread(&h, 1, sizeof h, file);
  if (got == 0) return 0;
  *p = (problem){0};
  bool good = got == sizeof h;
  if (good) {
    p->shape = h.shape;
    p->softmax_scale = h.softmax_scale;
    *multiprocessors = h.multiprocessors;
    arrays_of(p, where, bytes);
  }
  for (int i = 0; i < ARRAYS && good; i++) {
    *where[i] = malloc(bytes[i]);
    good = *where[i] && fread(*where[i], 1, bytes[i], file) == bytes[i];
  }
  if (good) return 1;
  problem_free(p);
  refuse(why, "The file of inputs is cut off.");
  return -1;
}
