#include "further/stage18_ring/ring/exchange.h"

#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "further/stage18_ring/ranks/ranks.h"

struct exchange {
  int rank, ranks, multiprocessors;
  int all; /* multiprocessors of the device */
  ncclComm_t comm;
  cudaStream_t compute, stream;
  cudaEvent_t ready;   /* compute has done what an exchange must wait for */
  cudaEvent_t arrived; /* what compute must wait for */
  marks *times;
  int step; /* exchanges since exchange_times */
  reason failure;
};

static void cuda_must(const exchange *x, cudaError_t error) {
  if (error)
    watchdog_fails("Rank %d cannot exchange: %s.", x->rank,
                   cudaGetErrorString(error));
}

#define NCCL_FAILS \
  "NCCL fails on rank %d: %s; NCCL_DEBUG=WARN in the environment says more."

static void nccl_must(const exchange *x, ncclResult_t error) {
  if (error) watchdog_fails(NCCL_FAILS, x->rank, ncclGetErrorString(error));
}

/* A CTA is a multiprocessor here: the attention kernel leaves no room beside
 * itself on those that it has. */
static void connect(exchange *x) {
  ncclUniqueId id;
  if (x->rank == 0) nccl_must(x, ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (x->multiprocessors) {
    config.minCTAs = 1;
    config.maxCTAs = x->multiprocessors;
  }
  nccl_must(x, ncclCommInitRankConfig(&x->comm, x->ranks, id, x->rank,
                                      &config));
}

exchange *exchange_open(const exchange_options *options) {
  exchange *x = ranks_memory(1, sizeof *x);
  *x = (exchange){.rank = options->rank,
                  .ranks = options->ranks,
                  .multiprocessors = options->multiprocessors,
                  .compute = options->compute};
  int device = 0, least = 0, greatest = 0;
  cuda_must(x, cudaGetDevice(&device));
  cuda_must(x, cudaDeviceGetAttribute(
                   &x->all, cudaDevAttrMultiProcessorCount, device));
  cuda_must(x, cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cuda_must(x, cudaStreamCreateWithPriority(&x->stream, cudaStreamNonBlocking,
                                            greatest));
  cuda_must(x, cudaEventCreateWithFlags(&x->ready, cudaEventDisableTiming));
  cuda_must(x, cudaEventCreateWithFlags(&x->arrived, cudaEventDisableTiming));
  connect(x);
  return x;
}

void exchange_close(exchange *x) {
  if (!x) return;
  ncclCommDestroy(x->comm);
  cudaEventDestroy(x->arrived);
  cudaEventDestroy(x->ready);
  cudaStreamDestroy(x->stream);
  free(x);
}

/* The messages' stream goes on where compute is now. */
static void follow_compute(exchange *x) {
  cuda_must(x, cudaEventRecord(x->ready, x->compute));
  cuda_must(x, cudaStreamWaitEvent(x->stream, x->ready, 0));
}

//> exchange
void exchange_begin(exchange *x, message send, message receive) {
  const int next = (x->rank + 1) % x->ranks;
  const int before = (x->rank + x->ranks - 1) % x->ranks;
  follow_compute(x);
  marks_begin(x->times, x->stream, "exchange", x->step++);
  nccl_must(x, ncclGroupStart());
  nccl_must(x, ncclSend(send.memory, send.bytes, ncclUint8, next, x->comm,
                        x->stream));
  nccl_must(x, ncclRecv(receive.memory, receive.bytes, ncclUint8, before,
                        x->comm, x->stream));
  nccl_must(x, ncclGroupEnd());
  marks_end(x->times, x->stream);
}

void exchange_end(exchange *x) {
  cuda_must(x, cudaEventRecord(x->arrived, x->stream));
  cuda_must(x, cudaStreamWaitEvent(x->compute, x->arrived, 0));
}
//< exchange

void exchange_gather(exchange *x, const message *received, message own,
                     size_t slot) {
  follow_compute(x);
  marks_begin(x->times, x->stream, "exchange", x->step++);
  nccl_must(x, ncclAllGather(own.memory, received[0].memory, slot, ncclUint8,
                             x->comm, x->stream));
  marks_end(x->times, x->stream);
  exchange_end(x);
}

void exchange_reads(const exchange *x, message read, int source) {
  (void)x, (void)read, (void)source;
}

const char *exchange_failure(exchange *x) {
  ncclResult_t error = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(x->comm, &error);
  if (asked) error = asked;
  if (!error || error == ncclInProgress) return NULL;
  refuse(&x->failure, NCCL_FAILS, x->rank, ncclGetErrorString(error));
  return x->failure.text;
}

void exchange_times(exchange *x, marks *times) {
  x->times = times;
  x->step = 0;
}

int exchange_leaves(const exchange *x) {
  const int taken = x->multiprocessors;
  return taken && taken < x->all ? x->all - taken : 0;
}
