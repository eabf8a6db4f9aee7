#include "common/harness/launch/upload.h"

#include <stdio.h>

#include "common/harness/device/device.h"

enum { POISON = 0xFF };

/* Copies `bytes` of host memory to a new device allocation. */
static cudaError_t to_device(const void **device, const void *host,
                             size_t bytes) {
  void *memory = NULL;
  cudaError_t status = cudaMalloc(&memory, bytes);
  *device = memory;
  if (!status) status = cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice);
  return status;
}

bool upload_new(upload *u, const problem *p, reason *why) {
  const attention_shape *s = &p->shape;
  const size_t elements = attention_shape_elements(s);
  const size_t kv_elements = attention_shape_kv_elements(s);
  const size_t scales = (size_t)(s->batch * s->heads) * 4;
  const size_t kv_scales = (size_t)(s->batch * s->kv_heads) * 4;
  *u = (upload){.output_bytes = 2 * elements,
                .lse_bytes = (size_t)s->seq_len * scales};
  attention_args *a = &u->args;
  a->batch = s->batch;
  a->heads = s->heads;
  a->seq_len = s->seq_len;
  a->head_dim = s->head_dim;
  a->kv_heads = s->kv_heads;
  a->causal = s->causal;
  a->softmax_scale = (float)p->softmax_scale;
  phase_begin("upload", 0);
  cudaError_t status = to_device((const void **)&a->q, p->q_codes, elements);
  if (!status)
    status = to_device((const void **)&a->k, p->k_codes, kv_elements);
  if (!status)
    status = to_device((const void **)&a->v, p->v_codes, kv_elements);
  if (!status)
    status = to_device((const void **)&a->q_scale, p->q_scale, scales);
  if (!status)
    status = to_device((const void **)&a->k_scale, p->k_scale, kv_scales);
  if (!status)
    status = to_device((const void **)&a->v_scale, p->v_scale, kv_scales);
  if (!status) status = cudaMalloc((void **)&a->o, u->output_bytes);
  if (!status) status = cudaMalloc((void **)&u->lse, u->lse_bytes);
  phase_end();
  if (!status) return true;
  refuse(why, "The inputs could not be brought to the device: %s.",
         cudaGetErrorString(status));
  upload_free(u);
  return false;
}

void upload_free(upload *u) {
  const attention_args *a = &u->args;
  cudaFree((void *)a->q);
  cudaFree((void *)a->k);
  cudaFree((void *)a->v);
  cudaFree((void *)a->q_scale);
  cudaFree((void *)a->k_scale);
  cudaFree((void *)a->v_scale);
  cudaFree(a->o);
  cudaFree(u->lse);
  *u = (upload){0};
}

void upload_ask(upload *u, const attention_support *support) {
  u->args.lse = support->takes & RETURNS_LSE ? u->lse : NULL;
}

bool upload_run(const upload *u,
                cudaError_t (*launch)(const attention_args *, cudaStream_t),
                uint16_t *o, reason *why) {
  const attention_args *args = &u->args;
  cudaError_t status = cudaMemset(args->o, POISON, u->output_bytes);
  if (!status && args->lse)
    status = cudaMemset(args->lse, POISON, u->lse_bytes);
  if (!status) status = launch(args, 0);
  if (status == cudaErrorNoKernelImageForDevice)
    return refuse(why, "This program was not built for this GPU's "
                       "architecture: build it here, or with ARCH=...");
  if (!status) status = cudaDeviceSynchronize();
  if (!status)
    status = cudaMemcpy(o, args->o, u->output_bytes, cudaMemcpyDeviceToHost);
  if (!status) return true;
  return refuse(why, "The kernel failed: %s.", cudaGetErrorString(status));
}

bool upload_lse(const upload *u, float *lse, reason *why) {
  const cudaError_t status =
      cudaMemcpy(lse, u->lse, u->lse_bytes, cudaMemcpyDeviceToHost);
  if (!status) return true;
  return refuse(why, "The log-sum-exp could not be copied: %s.",
                cudaGetErrorString(status));
}
