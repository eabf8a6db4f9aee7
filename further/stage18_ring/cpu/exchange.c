#include "further/stage18_ring/ring/exchange.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/simt/simt.h"
#include "further/stage18_ring/ranks/ranks.h"

/* Bytes that are NaN as codes and as floats: who reads too early shall see. */
enum { POISON = 0xFF, TAG = 18, MOST_BYTES = 1 << 30 };

struct exchange {
  int rank, ranks;
  exchange_arrival arrival;
  bool open;          /* between begin and end */
  bool under_way;     /* requests are out */
  message send, receive;
  void *copy; /* of what was to be sent, when it was begun */
  MPI_Comm comm; /* of its own, whose errors come back */
  MPI_Request requests[2];
};

exchange *exchange_open(const exchange_options *options) {
  exchange *x = ranks_memory(1, sizeof *x);
  *x = (exchange){.rank = options->rank,
                  .ranks = options->ranks,
                  .arrival = options->arrival};
  MPI_Comm_dup(MPI_COMM_WORLD, &x->comm);
  MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN);
  return x;
}

void exchange_close(exchange *x) {
  if (x) MPI_Comm_free(&x->comm);
  free(x);
}

static void post(exchange *x) {
  const int before = (x->rank + x->ranks - 1) % x->ranks;
  const int next = (x->rank + 1) % x->ranks;
  MPI_Irecv(x->receive.memory, (int)x->receive.bytes, MPI_BYTE, before, TAG,
            x->comm, &x->requests[0]);
  MPI_Isend(x->send.memory, (int)x->send.bytes, MPI_BYTE, next, TAG,
            x->comm, &x->requests[1]);
  x->under_way = true;
}

/* Did as many bytes come as the plan says? MPI's error is one of more. */
static void as_planned(const exchange *x, int from, int error,
                       const MPI_Status *status, size_t wanted) {
  int bytes = 0;
  if (!error) MPI_Get_count(status, MPI_BYTE, &bytes);
  if (error || (size_t)bytes != wanted)
    watchdog_fails("Rank %d wanted %zu bytes of rank %d and got %s: one of "
                   "them has the wrong partner, or another plan.",
                   x->rank, wanted, from, error ? "more" : "fewer");
}

static void finish(exchange *x) {
  MPI_Status status[2];
  const int from = (x->rank + x->ranks - 1) % x->ranks;
  watchdog_waits("waiting for rank %d's keys and values", from);
  const int error = MPI_Waitall(2, x->requests, status);
  watchdog_works("computing");
  x->under_way = false;
  as_planned(x, from, error, &status[0], x->receive.bytes);
}

/* Do two stretches of memory meet? */
static bool meet(message a, message b) {
  const char *a_begin = a.memory, *b_begin = b.memory;
  return a.bytes && b.bytes && a_begin < b_begin + b.bytes &&
         b_begin < a_begin + a.bytes;
}

static void must_be_small(message a, message b) {
  if (a.bytes > MOST_BYTES || b.bytes > MOST_BYTES)
    watchdog_fails("A message of more than 1 GiB is for GPUs only.");
}

void exchange_begin(exchange *x, message send, message receive) {
  if (x->open)
    watchdog_fails("Rank %d begins an exchange before the last one has ended.",
                   x->rank);
  if (meet(send, receive))
    watchdog_fails("Rank %d receives into the memory that it sends: the buffer "
                   "is reused before its send has finished.", x->rank);
  must_be_small(send, receive);
  x->open = true;
  x->send = send;
  x->receive = receive;
  x->copy = memcpy(ranks_memory(send.bytes, 1), send.memory, send.bytes);
  memset(receive.memory, POISON, receive.bytes);
  simt_written(receive.memory, receive.bytes);
  if (x->arrival == AT_THE_END) return;
  post(x);
  if (x->arrival == AT_ONCE) finish(x);
}

void exchange_end(exchange *x) {
  if (!x->open)
    watchdog_fails("Rank %d waits for an exchange that it has not begun.",
                   x->rank);
  x->open = false;
  if (memcmp(x->copy, x->send.memory, x->send.bytes))
    watchdog_fails("Rank %d has written to memory that is being sent: the "
                   "buffer is reused before its send has finished.", x->rank);
  free(x->copy);
  if (x->arrival == AT_THE_END) post(x);
  if (x->under_way) finish(x);
}

void exchange_gather(exchange *x, const message *received, message own,
                     size_t slot) {
  (void)slot;
  memcpy(received[x->rank].memory, own.memory, own.bytes);
  for (int i = 0; i < x->ranks; i++)
    simt_written(received[i].memory, received[i].bytes);
  for (int step = 1; step < x->ranks; step++) {
    const int to = (x->rank + step) % x->ranks;
    const int from = (x->rank + x->ranks - step) % x->ranks;
    MPI_Status status;
    must_be_small(own, received[from]);
    watchdog_waits("waiting for rank %d's keys and values", from);
    const int error = MPI_Sendrecv(
        own.memory, (int)own.bytes, MPI_BYTE, to, TAG, received[from].memory,
        (int)received[from].bytes, MPI_BYTE, from, TAG, x->comm, &status);
    watchdog_works("computing");
    as_planned(x, from, error, &status, received[from].bytes);
  }
}

void exchange_reads(const exchange *x, message read, int source) {
  int32_t from;
  if (x->open && meet(read, x->receive))
    watchdog_fails("Rank %d computes with keys that are still being received.",
                   x->rank);
  memcpy(&from, (char *)read.memory + read.bytes - LABEL_BYTES, sizeof from);
  if (from != source)
    watchdog_fails("Rank %d wanted the keys of rank %d and has those of rank "
                   "%d: somebody has the wrong partner.",
                   x->rank, source, (int)from);
}

const char *exchange_failure(exchange *x) {
  (void)x;
  return NULL;
}

void exchange_times(exchange *x, marks *times) { (void)x, (void)times; }

/* The executor's messages need no multiprocessor. */
int exchange_leaves(const exchange *x) {
  (void)x;
  return 0;
}
