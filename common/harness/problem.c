#include "common/harness/problem.h"

#include <errno.h>

/* ---- what is recorded ---- */

enum { RECORDED_HEADER = 96 };
typedef struct {
  int layers, heads, rows, width;
  uint16_t *values; /* the bits of the fp16 numbers */
} recorded;

enum { Q, K, V, SIZE_MAX_OF_EACH = 1 << 12 };

static size_t recorded_count(const recorded *r) {
  return (size_t)r->layers * TENSOR_COUNT * (size_t)r->heads * (size_t)r->rows *
         (size_t)r->width;
}

static bool fits(int size) { return size > 0 && size <= SIZE_MAX_OF_EACH; }

static bool read_header(recorded *r, FILE *file, uint64_t *checksum) {
  char line[RECORDED_HEADER + 1] = "";
  return fread(line, 1, RECORDED_HEADER, file) == RECORDED_HEADER &&
         sscanf(line,
                "recorded tensors 1: layers %d heads %d rows %d width %d "
                "checksum %016lx\n",
                &r->layers, &r->heads, &r->rows, &r->width, checksum) == 5 &&
         fits(r->layers) && fits(r->heads) && fits(r->rows) && fits(r->width) &&
         recorded_count(r) < (size_t)1 << 30;
}

/* The checksum is FNV-1a (Fowler, Noll and Vo, RFC 9923). */
static bool read_file(recorded *r, FILE *file, reason *why) {
  uint64_t wanted = 0, sum = 0xcbf29ce484222325u;
  if (!read_header(r, file, &wanted))
    return refuse(why, RECORDED_FILE " does not begin as recorded tensors do.");
  const size_t size = 2 * recorded_count(r);
  unsigned char *bytes = malloc(size + 1);
  r->values = (uint16_t *)bytes;
  if (!bytes) return refuse(why, "Too little memory for the recorded tensors.");
  const size_t got = fread(bytes, 1, size + 1, file);
  if (got < size)
    return refuse(why, RECORDED_FILE " is cut off: it lacks %zu of %zu bytes.",
                  size - got, size);
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
  if (got > size || sum != wanted)
    return refuse(why, RECORDED_FILE " is damaged: its checksum is not that of "
                       "its numbers.");
  for (size_t i = 0; i < size / 2; i++)
    r->values[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
  return true;
}

float quantise_head(const float *values, uint8_t *codes, size_t count) {
  float amax = 0.0f;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) amax = fmaxf(amax, fabsf(values[i]));
  const float scale = amax > 0.0f ? amax / E4M3_MAX : 1.0f;
  for (size_t i = 0; i < count; i++)
    codes[i] = isfinite(values[i]) ? e4m3_encode(values[i] / scale) : E4M3_NAN;
  return scale;
}

static void change_head(float *head, size_t count, float factor,
                        float offset) {
  for (size_t i = 0; i < count; i++) head[i] = factor * head[i] + offset;
}

/* All queries get a common direction, and one key lies along it: its score is
 * well above all others, so that softmax gives it nearly all the weight. */
static void add_direction(float *q, int64_t rows, int64_t d) {
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < d; c++) q[r * d + c] += c % 2 ? 1.0f : -1.0f;
}

static void make_key(float *key, int64_t d, float size) {
  for (int64_t c = 0; c < d; c++) key[c] = c % 2 ? size : -size;
}

/* Its score is about log(keys) + 1, as that of all others together. */
static void make_peak(float *k, const problem *p, int64_t rows, int64_t index) {
  const int64_t at[] = {0, rows * 3 / 4, rows - 1}, d = p->shape.head_dim;
  make_key(k + at[index % 3] * d, d,
           (float)((log((double)rows) + 1.0) / ((double)d * p->softmax_scale)));
}

/* Half or five eighths of a row of Q are 1, half of the rows of K are of such a
 * size that these make 3.98 or 4.975 powers of two. All codes are exact. */
static void make_step_q(float *q, int64_t rows, int64_t d, int64_t index) {
  const int64_t ones = index % 2 ? d * 5 / 8 : d / 2;
  for (int64_t i = 0; i < rows * d; i++) q[i] = i % d < ones ? 1.0f : 0.0f;
}

static void make_step_k(float *k, const problem *p, int64_t rows,
                        int64_t index) {
  const int64_t d = p->shape.head_dim;
  const double size = 0.995 * log(2.0) / ((double)d / 8.0 * p->softmax_scale);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < d; c++)
      k[r * d + c] = (r < rows / 2) == (index % 2 == 0) ? (float)size : 0.0f;
}

/* Each seed begins with another layer, and two of them with another row. Heads
 * count through all layers, and like rows begin again behind the last. A
 * group's queries are those of the head whose K they meet, from other rows. */
static void fill_real(float *head, const problem *p, int tensor,
                      const recorded *r, int64_t kv_head, int64_t in_group) {
  const int64_t seed = (int64_t)(p->seed % 1024), d = p->shape.head_dim;
  const int64_t layer = (kv_head / r->heads + seed) % r->layers;
  const int64_t number = (layer * TENSOR_COUNT + tensor) * r->heads +
                         kv_head % r->heads;
  const int64_t first = seed / r->layers * 171 + in_group * 37;
  const int64_t rows =
      tensor == Q ? p->shape.seq_len : attention_shape_keys(&p->shape);
  for (int64_t row = 0; row < rows; row++) {
    const uint16_t *from =
        r->values + (number * r->rows + (first + row) % r->rows) * r->width;
    for (int64_t c = 0; c < d; c++)
      head[row * d + c] = c < r->width ? half_decode(from[c]) : 0.0f;
  }
}

/* One in the middle row, and up to two that are drawn. */
static void add_nans(float *head, int64_t rows, int64_t d, uint64_t drawn) {
  const int64_t low = rows / 4, more = (int64_t)(drawn % 3);
  head[rows / 2 * d + (int64_t)(drawn >> 8) % d] = NAN;
  for (int64_t i = 0; i < more; i++)
    head[(low + (int64_t)(drawn >> (16 + 8 * i)) % (rows - low)) * d +
         (int64_t)(drawn >> (32 + 8 * i)) % d] = NAN;
}

static float far_scale(const problem *p, int tensor, bool large_q) {
  if (tensor == V) return large_q ? 0x1p-17f : 11000.0f; /* halves: 65,504 */
  const float by = large_q ? 0x1p20f : 0x1p-20f;
  return tensor == Q ? by
                     : (float)(1.0 / p->softmax_scale /
                               sqrt((double)p->shape.head_dim)) / by;
}

tensor_place problem_tensor(problem *p, int tensor) {
  const attention_shape *s = &p->shape;
  const int64_t heads = s->batch * s->heads, kv_heads = s->batch * s->kv_heads;
  const int64_t keys = attention_shape_keys(s);
  return (tensor_place[]){
      {&p->q, &p->q_codes, &p->q_scale, heads, s->seq_len},
      {&p->k, &p->k_codes, &p->k_scale, kv_heads, keys},
      {&p->v, &p->v_codes, &p->v_scale, kv_heads, keys}}[tensor];
}

static void fill_head(problem *p, const recorded *r, int tensor,
                      int64_t index) {
  const tensor_place of = problem_tensor(p, tensor);
  const int64_t rows = of.rows, d = p->shape.head_dim;
  const size_t count = (size_t)(rows * d), start = (size_t)index * count;
  const int64_t group = p->shape.heads / p->shape.kv_heads;
  const bool q = tensor == Q, k = tensor == K, v = tensor == V;
  float *head = *of.values + start;
  for (size_t i = 0; i < count && p->distribution != REAL; i++)
    head[i] = random_normal(p->seed, (uint64_t)tensor, start + i);
  switch (p->distribution) {
  case LARGE_LOGITS:
    if (!v) change_head(head, count, 8.0f, 0.0f);
    break;
  case DOMINANT_KEY:
    if (q) add_direction(head, rows, d);
    if (k) make_key(head + index * 31 % rows * d, d, 3.0f);
    break;
  case CONSTANT_ROWS:
    for (int64_t i = 0; i < rows * d; i++) head[i] = head[i / d * d];
    break;
  case MIXED_SCALES:
    change_head(head, count,
                q   ? index % 2 ? 0.01f : 1.0f
                : k ? index % 3 ? 1.0f : 0.1f
                    : index % 2 ? 10.0f : 0.01f,
                0.0f);
    break;
  case ZERO_HEAD:
    if (index % 2 == 0) memset(head, 0, count * sizeof *head);
    break;
  case OFFSET_VALUES:
    if (v) change_head(head, count, 1.0f, 4.0f);
    break;
  case REAL:
    fill_real(head, p, tensor, r, q ? index / group : index,
              q ? index % group : 0);
    break;
  case FAR_BELOW:
    if (!v) change_head(head, count, 1.0f, q ? 2.0f : -2.0f);
    break;
  case PEAK:
    if (q) add_direction(head, rows, d);
    if (k) make_peak(head, p, rows, index);
    break;
  case STEP_UP:
    if (q) make_step_q(head, rows, d, index);
    if (k) make_step_k(head, p, rows, index);
    break;
  case TINY:
    /* The scales become 2^-78, 2^-95, 2^-112 and 2^-129 or so. */
    if (!v)
      change_head(head, count, ldexpf(1.0f, (int)(-71 - index % 4 * 17)), 0.0f);
    break;
  case FAR_SCALES:
  case SUBNORMAL:
    change_head(head, count,
                far_scale(p, tensor, (q ? index / group : index) % 2), 0.0f);
    break;
  default:
    if ((int)p->distribution == NAN_Q + tensor)
      add_nans(head, rows, d,
               random_bits(p->seed, TENSOR_COUNT, (uint64_t)index));
  }
  float *scale = *of.scales + index;
  *scale = quantise_head(head, *of.codes + start, count);
  for (size_t i = start; i < start + count; i++)
    if ((*of.codes)[i] == E4M3_NAN && random_bits(p->seed, TENSOR_COUNT, i) % 2)
      (*of.codes)[i] |= 0x80;
  if (p->distribution != SUBNORMAL && p->distribution != UNSCALED) return;
  *scale = p->distribution == UNSCALED ? 1.0f : *scale * E4M3_MAX * 64.0f;
  for (size_t i = 0; i < count; i++)
    (*of.codes)[start + i] = e4m3_encode(head[i] / *scale);
}

uint64_t problem_draw(const problem *p) {
  const attention_shape *s = &p->shape;
  uint64_t drawn = 0;
  for (int64_t i = 0; i < s->batch * s->heads; i++) {
    uint32_t bits;
    memcpy(&bits, p->q_scale + i, sizeof bits);
    drawn = random_mix(drawn + bits);
  }
  return drawn + !drawn;
}

size_t problem_bytes(const attention_shape *shape) {
  return (attention_shape_elements(shape) +
          2 * attention_shape_kv_elements(shape)) * (4 + 1);
}

/* Nothing for the other distributions. */
static bool open_recorded(recorded *r, problem *p, reason *why) {
  if (p->distribution != REAL) return true;
  FILE *file = fopen(RECORDED_FILE, "rb");
  if (!file)
    return refuse(why, "Cannot read the recorded tensors, " RECORDED_FILE
                       ": %s.", strerror(errno));
  const bool good = read_file(r, file, why);
  fclose(file);
  if (good && !p->shape.softmax_scale)
    p->softmax_scale = 1.0 / sqrt((double)r->width);
  return good;
}

bool problem_new(problem *p, const attention_shape *shape,
                 distribution distribution, uint64_t seed, reason *why) {
  recorded r = {0};
  *p = (problem){.shape = *shape,
                 .distribution = distribution,
                 .seed = seed,
                 .softmax_scale = shape->softmax_scale > 0.0
                                      ? shape->softmax_scale
                                      : 1.0 / sqrt((double)shape->head_dim)};
  bool good = true;
  for (int t = 0; t < TENSOR_COUNT; t++) {
    const tensor_place of = problem_tensor(p, t);
    const size_t elements = (size_t)(of.heads * of.rows * shape->head_dim);
    *of.values = malloc(elements * sizeof(float));
    *of.codes = malloc(elements);
    *of.scales = malloc((size_t)of.heads * sizeof(float));
    good = good && *of.values && *of.codes && *of.scales;
  }
  if (!good)
    refuse(why, "Too little memory for the inputs: %.1f GiB are needed.",
           (double)problem_bytes(shape) / (1 << 30));
  good = good && open_recorded(&r, p, why);
  phase_begin("quantise", 0);
  for (int t = 0; good && t < TENSOR_COUNT; t++) {
    const int64_t heads = problem_tensor(p, t).heads;
#pragma omp parallel for schedule(dynamic)
    for (int64_t i = 0; i < heads; i++) fill_head(p, &r, t, i);
  }
  phase_end();
  free(r.values);
  if (!good) problem_free(p);
  return good;
}

void problem_free(problem *p) {
  for (int t = 0; t < TENSOR_COUNT; t++) {
    const tensor_place of = problem_tensor(p, t);
    free(*of.values);
    free(*of.codes);
    free(*of.scales);
  }
  *p = (problem){0};
}
