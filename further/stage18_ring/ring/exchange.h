#pragma once

#include <cuda_runtime_api.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/harness/program.h"

/* When streams did what: a timeline. */
typedef struct marks marks;

/* The beginning or the end of a piece of work, put into a stream. */
void marks_begin(marks *m, cudaStream_t stream, const char *what, int step);
void marks_end(marks *m, cudaStream_t stream);

/* With room for so many pieces of work. */
marks *marks_new(int pieces);
void marks_free(marks *m);

/* [{"what", "step", "begin_us", "end_us"}] from the first mark on, when all is
 * done. New reference. */
json_t *marks_json(const marks *m);

/* How keys and values get from rank to rank. cpu/ moves them through MPI, for
 * the executor; gpu/ through NCCL, on a stream of its own. */

/* When the CPU's messages arrive. A GPU's come when they come. */
typedef enum {
  WHEN_IT_COMES,
  AT_ONCE,   /* while the computing that it was begun before has not begun */
  AT_THE_END /* not before somebody waits for it */
} exchange_arrival;

typedef struct exchange exchange;

/* What travels: device memory of this rank. Its last LABEL_BYTES begin with the
 * number of the rank that it comes from. */
typedef struct {
  void *memory;
  size_t bytes;
} message;
enum { LABEL_BYTES = 16 };

typedef struct {
  int rank, ranks;
  cudaStream_t compute;
  exchange_arrival arrival; /* CPU */
  int multiprocessors; /* GPU: most that messages may take; 0: NCCL decides */
} exchange_options;

/* `compute` is the stream whose kernels read what comes and whose kernels have
 * read what is overwritten. All ranks call it together, as they do the next
 * three, and all end with one sentence where one fails. */
exchange *exchange_open(const exchange_options *options);
void exchange_close(exchange *x);

/* Starts to send to the next rank and to receive from the one before, after the
 * kernels that `compute` has been given so far. Until exchange_end, nobody may
 * write what is sent, or touch what is received. */
void exchange_begin(exchange *x, message send, message receive);

/* Kernels that `compute` is given from here on see what has come. */
void exchange_end(exchange *x);

/* All ranks' messages to all: received[i] is rank i's, and this rank's own is
 * copied there, too. Kernels that `compute` is given from here on see them.
 * The memory of received[i] begins `slot` bytes behind that of received[i - 1],
 * and that of `own` has as many. */
void exchange_gather(exchange *x, const message *received, message own,
                     size_t slot);

/* Says that a kernel is about to read this message, which should be that of the
 * rank `source`: the end of all where it is another's, or is still being
 * received. Only the CPU's exchange knows. */
void exchange_reads(const exchange *x, message read, int source);

/* What has failed since, in one sentence, or NULL; from any thread. */
const char *exchange_failure(exchange *x);

/* From here on each exchange is marked there; NULL: none is. */
void exchange_times(exchange *x, marks *times);

/* How many multiprocessors messages leave to a kernel that begins meanwhile; 0:
 * all. The library's blocks take a multiprocessor each and stay until all is
 * done, so that what NCCL starts beside them would wait for the end, or make
 * one of them wait. */
int exchange_leaves(const exchange *x);
