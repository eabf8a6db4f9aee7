#include "floor/run.h"

#include <stdio.h>
#include <stdlib.h>

bool floor_went_well(cudaError_t status, const char *name, reason *why) {
  if (status == cudaSuccess) return true;
  return refuse(why, "%s stopped: %s.", name, cudaGetErrorString(status));
}

bool floor_run_new(floor_run *run, const floor_item *item, int blocks,
                   floor_inputs inputs, reason *why) {
  const floor_family *family = item->family;
  *run = (floor_run){.item = item,
                     .in_bytes = family->in_bytes(item, blocks),
                     .out_bytes = family->out_bytes(item, blocks)};
  run->call.blocks = blocks;
  run->call.threads = item->threads;
  run->in = malloc(run->in_bytes);
  if (!run->in) return refuse(why, "%s: too little memory.", item->name);
  family->fill(item, run->in, blocks, inputs);
  void *in = NULL, *span = NULL;
  cudaError_t status = cudaMalloc(&in, run->in_bytes);
  run->call.in = in;
  if (!status) status = cudaMalloc(&run->call.out, run->out_bytes);
  if (!status) status = cudaMalloc(&span, SPANS * sizeof(floor_span));
  run->call.span = span;
  if (!status)
    status = cudaMemcpy(in, run->in, run->in_bytes, cudaMemcpyHostToDevice);
  return floor_went_well(status, item->name, why);
}

void floor_run_free(floor_run *run) {
  free(run->in);
  cudaFree((void *)run->call.in);
  cudaFree(run->call.out);
  cudaFree(run->call.span);
  *run = (floor_run){0};
}
