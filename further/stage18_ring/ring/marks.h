#ifndef RING_MARKS_H
#define RING_MARKS_H

#include <cuda_runtime_api.h>

#include <jansson.h>

/* When a GPU's streams did what: a timeline. The executor has no time. */
typedef struct marks marks;

/* The beginning or the end of a piece of work, put into a stream. */
void marks_begin(marks *m, cudaStream_t stream, const char *what, int step);
void marks_end(marks *m, cudaStream_t stream);

/* With room for so many pieces of work; NULL where there is no time here. */
marks *marks_new(int pieces);
void marks_free(marks *m);
void marks_clear(marks *m);

/* [{"what", "step", "begin_us", "end_us"}] from the first mark on, when all is
 * done. New reference. */
json_t *marks_json(const marks *m);

#endif
