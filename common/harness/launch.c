#include "common/harness/launch.h"

enum { Q, K, V, O, STRIDED, Q_SCALE = STRIDED, K_SCALE, V_SCALE, LSE, PLACED };

/* The steps of a tensor's dimensions grow in this order: 0 rows, 1 heads,
 * 2 batches. No two tensors of a problem have the same strides, unless they are
 * drawn: then a tensor has any of these orders, and gaps or not. */
static const uint8_t orders[LAYOUT_COUNT][STRIDED][3] = {
    [LAYOUT_PADDED] = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
    [LAYOUT_PERMUTED] = {{1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}},
    [LAYOUT_WIDE] = {{0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {0, 2, 1}}};
static const int64_t WIDEST = (int64_t)1 << 32;

static tensor_strides strides_of(const placed *t, tensor_layout layout, int i,
                                 uint64_t drawn) {
  const int64_t count[] = {t->rows, t->heads, t->batch};
  const int64_t gap = i == O ? 4 : 16 * (i + 1); /* as little as may be of O */
  const uint64_t bits = drawn ? random_bits(drawn, 1, (uint64_t)i) : 0;
  const uint8_t *order = orders[layout][i];
  if (layout == LAYOUT_PERMUTED)
    order = orders[layout][((uint64_t)i + (bits >> 8)) % STRIDED];
  int64_t step[3], width = t->width;
  for (int n = 0; n < 3; n++) {
    const int at = order[n];
    if (layout == LAYOUT_WIDE && n == 0 && count[at] > 1)
      width = WIDEST / (count[at] - 1) / 16 * 16 + 16;
    step[at] = width += bits >> n & 1 ? 0 : gap;
    width *= count[at];
  }
  return (tensor_strides){step[2], step[1], step[0]};
}

/* Bytes from where it begins to its end. */
static size_t extent(const placed *t) {
  const tensor_strides *s = &t->strides;
  return t->element *
         (size_t)((t->batch - 1) * s->batch + (t->heads - 1) * s->head +
                  (t->rows - 1) * s->row + t->width);
}

/* Where row i of all lies, in bytes. */
static size_t place_of(const placed *t, int64_t i) {
  const tensor_strides *s = &t->strides;
  const int64_t head = i / t->rows;
  return t->element * (size_t)(head / t->heads * s->batch +
                               head % t->heads * s->head +
                               i % t->rows * s->row);
}

/* An output's bytes before a launch: NaN, or a number that is none of the
 * answers. */
static int poison(uint64_t drawn) {
  return (const int[]){0xFF, 0x63, 0xFF, 0xFB}[drawn % 4];
}

/* Copies rows that lie side by side in host memory to the device, or back; or,
 * with no host memory, fills them with a byte. */
static cudaError_t move_rows(const placed *t, void *host, int byte,
                             enum cudaMemcpyKind kind) {
  const size_t bytes = t->element * (size_t)t->width;
  cudaError_t status = cudaSuccess;
  for (int64_t i = 0; i < t->batch * t->heads * t->rows && !status; i++) {
    uint8_t *there = t->memory + place_of(t, i);
    uint8_t *here = host ? (uint8_t *)host + (size_t)i * bytes : NULL;
    const bool back = kind == cudaMemcpyDeviceToHost;
    status = here ? cudaMemcpy(back ? here : there, back ? there : here, bytes,
                               kind)
                  : cudaMemset(there, byte, bytes);
  }
  return status;
}

/* What is before a tensor and between its rows: NaN, or codes that are drawn.
 * Writes it, or with `changed` says whether it is still there. What belongs to
 * rows stays as it is: nobody has written it. */
static cudaError_t fill_gaps(const placed *t, uint64_t drawn, bool *changed) {
  const size_t lead = (size_t)(t->memory - t->base), bytes = lead + extent(t);
  const size_t width = t->element * (size_t)t->width;
  uint8_t *wanted = malloc(bytes), *have = malloc(bytes);
  uint8_t *row = calloc(bytes, 1);
  cudaError_t status =
      wanted && have && row ? cudaSuccess : cudaErrorMemoryAllocation;
  for (size_t i = 0; i < bytes && !status; i++)
    wanted[i] = drawn % 8 < 4 ? 0xFF : (uint8_t)random_bits(drawn, 0, i);
  for (int64_t i = 0; i < t->batch * t->heads * t->rows && !status; i++)
    memset(row + lead + place_of(t, i), 1, width);
  for (size_t i = 0, end; i < bytes && !status; i = end) {
    for (end = i; end < bytes && row[end] == row[i];) end++;
    if (row[i]) continue;
    status = changed ? cudaMemcpy(have, t->base + i, end - i,
                                  cudaMemcpyDeviceToHost)
                     : cudaMemcpy(t->base + i, wanted + i, end - i,
                                  cudaMemcpyHostToDevice);
    if (changed && !status) *changed |= memcmp(have, wanted + i, end - i) != 0;
  }
  free(wanted);
  free(row);
  free(have);
  return status;
}

/* Wide: memory that is there only where it is used. */
static cudaError_t place(upload *u, placed *t, const void *host) {
  const bool wide = u->problem->shape.layout == LAYOUT_WIDE && t->strides.row;
  const size_t unit = t->element == 1 ? 16 : t->element == 2 ? 8 : 4;
  const uint64_t i = (uint64_t)(t - u->tensors);
  const size_t place = u->drawn ? random_bits(u->drawn, 2, i) % 32 : 0;
  const size_t lead = place < 16 ? unit * place : 0;
  const size_t bytes = lead + extent(t);
  cudaError_t status =
      wide ? cudaMallocManaged((void **)&t->base, bytes, cudaMemAttachGlobal)
           : cudaMalloc((void **)&t->base, bytes);
  t->memory = t->base + lead;
  if (!status && !wide && bytes > t->element * (size_t)t->width)
    status = fill_gaps(t, u->drawn, NULL);
  if (!status && host)
    status = move_rows(t, (void *)host, 0, cudaMemcpyHostToDevice);
  return status;
}

/* What each holds before the kernel runs; null: nothing. */
static const void *before(const problem *p, int i) {
  const void *const all[PLACED] = {p->q_codes, p->k_codes, p->v_codes, NULL,
                                   p->q_scale, p->k_scale, p->v_scale};
  return all[i];
}

_Static_assert(PLACED == 8, "an odd step visits each of a power of two");

/* Without gaps a tensor is one long row. Which one's memory comes first is
 * drawn. */
static cudaError_t place_all(upload *u, const problem *p) {
  const attention_shape *s = &p->shape;
  cudaError_t status = cudaSuccess;
  for (unsigned n = 0; n < PLACED && !status; n++) {
    const int i = (int)((n * (u->drawn % 4 * 2 + 1) + u->drawn / 4) % PLACED);
    placed *t = &u->tensors[i];
    const bool shared = i % STRIDED == K || i % STRIDED == V;
    const int64_t heads = shared ? s->kv_heads : s->heads;
    const size_t elements = shared ? attention_shape_kv_elements(s)
                                   : attention_shape_elements(s);
    const tensor_layout layout = i < STRIDED ? s->layout : LAYOUT_CONTIGUOUS;
    *t = (placed){.element = i == O ? 2 : i < STRIDED ? 1 : sizeof(float),
                  .batch = 1,
                  .heads = 1,
                  .rows = 1,
                  .width = i < STRIDED ? (int64_t)elements
                           : i == LSE  ? s->batch * heads * s->seq_len
                                       : s->batch * heads};
    if (layout) {
      t->batch = s->batch;
      t->heads = heads;
      t->rows = shared ? attention_shape_keys(s) : s->seq_len;
      t->width = s->head_dim;
      t->strides = strides_of(t, layout, i, u->drawn);
    }
    status = place(u, t, before(p, i));
    if (before(p, i)) device_input(t->base);
  }
  return status;
}

bool upload_new(upload *u, const problem *p, uint64_t drawn, reason *why) {
  const attention_shape *s = &p->shape;
  *u = (upload){.problem = p, .drawn = drawn};
  attention_args *a = &u->args;
  a->batch = s->batch;
  a->heads = s->heads;
  a->seq_len = s->seq_len;
  a->head_dim = s->head_dim;
  a->kv_heads = s->kv_heads;
  a->causal = s->causal;
  a->key_len = (int)s->key_len;
  a->softmax_scale = (float)p->softmax_scale;
  phase_begin("upload", 0);
  cudaError_t status = place_all(u, p);
  const placed *t = u->tensors;
  a->q = t[Q].memory;
  a->k = t[K].memory;
  a->v = t[V].memory;
  a->o = (uint16_t *)(void *)t[O].memory;
  a->q_scale = (const float *)(void *)t[Q_SCALE].memory;
  a->k_scale = (const float *)(void *)t[K_SCALE].memory;
  a->v_scale = (const float *)(void *)t[V_SCALE].memory;
  u->strides = (attention_strides){t[Q].strides, t[K].strides, t[V].strides,
                                   t[O].strides};
  if (s->layout) a->strides = &u->strides;
  phase_end();
  if (!status) return true;
  refuse(why, "The inputs could not be brought to the device: %s.",
         cudaGetErrorString(status));
  upload_free(u);
  return false;
}

void upload_free(upload *u) {
  for (int i = 0; i < PLACED; i++) cudaFree(u->tensors[i].base);
  *u = (upload){0};
}

void upload_ask(upload *u, const attention_support *support) {
  float *lse = (float *)(void *)u->tensors[LSE].memory;
  u->args.lse = support->takes & RETURNS_LSE ? lse : NULL;
}

static const char *changed_input(const upload *u, cudaError_t *status) {
  static const char *const names[PLACED] = {
      "Q", "K", "V", NULL, "q_scale", "k_scale", "v_scale"};
  const char *name = NULL;
  for (int i = 0; i < PLACED && !name && !*status; i++) {
    const placed *t = &u->tensors[i];
    const size_t bytes =
        t->element * (size_t)(t->batch * t->heads * t->rows * t->width);
    if (!names[i]) continue;
    void *now = malloc(bytes);
    *status = now ? move_rows(t, now, 0, cudaMemcpyDeviceToHost)
                  : cudaErrorMemoryAllocation;
    if (!*status && memcmp(now, before(u->problem, i), bytes)) name = names[i];
    free(now);
  }
  return name;
}

/* Has anybody written between the rows of O, or before it or the lse? */
static bool gaps_changed(const upload *u, cudaError_t *status) {
  const tensor_layout layout = u->problem->shape.layout;
  bool changed = false;
  if (!*status && (layout || u->drawn) && layout != LAYOUT_WIDE)
    *status = fill_gaps(&u->tensors[O], u->drawn, &changed);
  if (!*status && u->drawn)
    *status = fill_gaps(&u->tensors[LSE], u->drawn, &changed);
  return changed;
}

bool upload_run(const upload *u,
                cudaError_t (*launch)(const attention_args *, cudaStream_t),
                uint16_t *o, reason *why) {
  const attention_args *args = &u->args;
  const int byte = poison(u->drawn);
  cudaError_t status = o ? move_rows(&u->tensors[O], NULL, byte,
                                     cudaMemcpyDefault)
                         : cudaSuccess;
  if (!status && o && args->lse)
    status = move_rows(&u->tensors[LSE], NULL, byte, cudaMemcpyDefault);
  if (!status) status = launch(args, 0);
  if (status == cudaErrorNoKernelImageForDevice)
    return refuse(why, "This program was not built for this GPU's "
                       "architecture: build it here, or with ARCH=...");
  if (!status) status = cudaDeviceSynchronize();
  if (!status && o)
    status = move_rows(&u->tensors[O], o, 0, cudaMemcpyDeviceToHost);
  const char *changed = changed_input(u, &status);
  if (changed)
    return refuse(why, "The kernel, or its launch, has changed its input %s.",
                  changed);
  if (gaps_changed(u, &status))
    return refuse(why, "The kernel has written between the rows of O, or "
                       "before an output.");
  if (!status) return true;
  return refuse(why, "The kernel failed: %s.", cudaGetErrorString(status));
}

bool device_is_lost(void) {
  return cudaDeviceSynchronize() != cudaSuccess;
}

bool upload_lse(const upload *u, float *lse, reason *why) {
  const cudaError_t status =
      move_rows(&u->tensors[LSE], lse, 0, cudaMemcpyDeviceToHost);
  if (!status) return true;
  return refuse(why, "The log-sum-exp could not be copied: %s.",
                cudaGetErrorString(status));
}
