#include "further/stage18_ring/ring/exchange.h"

#include <stddef.h>

marks *marks_new(int pieces) {
  (void)pieces;
  return NULL;
}

void marks_free(marks *m) { (void)m; }
void marks_clear(marks *m) { (void)m; }

void marks_begin(marks *m, cudaStream_t stream, const char *what, int step) {
  (void)m, (void)stream, (void)what, (void)step;
}

void marks_end(marks *m, cudaStream_t stream) { (void)m, (void)stream; }

json_t *marks_json(const marks *m) {
  (void)m;
  return json_array();
}
