#ifndef FP8ATTENTION_H
#define FP8ATTENTION_H

/* Attention, forward, on FP8 (E4M3) tensors, for GPUs of compute capability
 * 9.0. For each head of each batch
 *
 *   o = softmax(softmax_scale * q k^T) v
 *
 * A value of q, k or v is scale * decode(code), with one scale a head. Scores
 * and sums are floats, P is rounded to E4M3, o is fp16 or bf16.
 *
 * A score's sum loses up to 2^-13 of the largest number that it goes through:
 * where scores are in the thousands, keys whose scores are nearer to each other
 * than that are weighed wrongly. Beyond 1e6, on either side of zero, all of a
 * row's weights can be, since its maximum is rounded before it is subtracted;
 * beyond 3e9 the row can be NaN. Scores nearer to 0 than 1e-30 count as 0.
 * Weights are rounded to E4M3, within 1/16 of each; those below 2^-14 of the
 * largest among some 1,300 keys around them become 0: whatever the scores are,
 * less than 5 percent of a row's weights are lost so. (With drift set, below
 * 2^-14 of the largest behind them: n such keys lose n * 2^-14 of its share.)
 *
 * The library allocates nothing, keeps no state, and may be called from any
 * thread. It works on the device of o (of the codes, where it makes codes), to
 * which all pointers and the stream belong, and leaves the current device as it
 * was. It starts a kernel on the stream, or two, and returns: also while the
 * stream is captured into a CUDA graph. Tensors and scales are read when the
 * kernel runs; the struct itself may go at once. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's cudaStream_t is a pointer to this; null is the default stream. */
struct CUstream_st;

//> strides
/* How many elements lie between the beginnings of two neighbours. In a row of
 * head_dim elements, they lie side by side. Where a size is 1, its stride is
 * not looked at. */
typedef struct {
  int64_t batch, head, row;
} fp8attention_strides;
//< strides

/* A key_len: no keys at all. */
enum { FP8ATTENTION_NO_KEYS = -1 };

/* Forms of numbers. */
enum { FP8ATTENTION_FP16 = 1, FP8ATTENTION_BF16 = 2 };

//> problem
typedef struct {
  /* head_dim is 64 or 128, and kv_heads divides heads: head h reads K/V head
   * h / (heads / kv_heads). q and o have seq_len rows; k and v as many, or
   * key_len (below). At most 2^30 pieces of 64 rows in all heads of all
   * batches, and 2^30 rows. Where batch, heads or seq_len is 0 there is nothing
   * to do, and pointers and strides are not looked at. */
  int64_t batch, heads, kv_heads, seq_len, head_dim;

  /* Device memory; q, k and v aligned to 16 bytes, o to 8. q and o have `heads`
   * heads, k and v `kv_heads`. E4M3 as torch.float8_e4m3fn has it. From the
   * first element of o to the last, no memory is another tensor's or that of
   * scales. Where codes are NaN (0x7f, 0xff), o is: all of a row that a code of
   * q or k belongs to, the column of a code of v in each row that sees it. */
  const uint8_t *q, *k, *v;
  uint16_t *o; /* the bits of fp16 numbers, or as o_format (below) says */

  /* Of q, k, v: multiples of 16, at least head_dim, below 2^40. Of o: multiples
   * of 4, and such that no two rows overlap: if sorted, each is at least what
   * all smaller ones span. No tensor reaches over more than 2^60 elements.
   * There is no stride of 0: heads are shared by kv_heads. */
  fp8attention_strides q_strides, k_strides, v_strides, o_strides;

  /* Device memory: [batch][heads], and [batch][kv_heads] for k and v. Positive
   * and finite; 1 for a head of zeros. */
  const float *q_scale, *k_scale, *v_scale;

  float softmax_scale; /* positive and finite; mostly 1 / sqrt(head_dim) */
  /* Not 0: row i sees keys 0 to i + (keys - seq_len) only, so that the last
   * row sees all. A row that sees none is as with FP8ATTENTION_NO_KEYS. */
  int causal;

  /* Tensor cores drop bits of long sums: where v has a mean, o comes out too
   * small. 0: after 672 keys at most a sum leaves them, and o is too small by 1
   * percent of that mean, however many keys there are. Not 0: sums stay, and
   * o is too small by 1 percent for 500 keys, 15 for 8,000, 40 for 30,000.
   * Saves time from 1,000 keys on. */
  int drift;

  /* Rows of k and v, 1 to 2^30; 0: seq_len. FP8ATTENTION_NO_KEYS: there are
   * none, o becomes 0 and lse -infinity, and q, k, v and scales may be NULL. */
  int64_t key_len;

  /* NULL, or device memory, aligned to 4 bytes, [batch][heads][seq_len] with
   * nothing in between, apart from all others as o is. There each row gets its
   * log-sum-exp, the natural logarithm of the sum of exp(softmax_scale * q k)
   * over the keys that it sees. It merges the outputs for two parts of the
   * keys: see chapter 25. NaN where codes of q, or of k, make a score NaN; a
   * code of v does nothing to it. */
  float *lse;

  /* sizeof(fp8attention_problem), so that a later library knows which fields
   * the caller had; 0: those up to max_multiprocessors. */
  uint32_t size;

  int o_format; /* FP8ATTENTION_BF16; FP8ATTENTION_FP16 or 0: fp16 */

  /* Not 0: a sequence gets the same bits whatever batch and heads it is among,
   * and whatever max_multiprocessors. Where there is little work it takes
   * longer: keys are not shared out then. */
  int batch_invariant;

  int max_multiprocessors; /* so many at most are used; 0: all of the device */

  /* NULL, or device memory, aligned to 16 bytes, apart from all others as o is:
   * as many bytes as fp8attention_forward_workspace says. With it, blocks that
   * would have no work in a last turn share the keys of those that have. It may
   * be used again when the work on the stream is done. */
  void *workspace;
} fp8attention_problem;
//< problem

/* What fp8attention_forward and fp8attention_quantise return. */
enum {
  FP8ATTENTION_OK = 0,
  FP8ATTENTION_NULL_POINTER = 1,
  FP8ATTENTION_BAD_SIZE = 2,
  FP8ATTENTION_BAD_HEAD_DIM = 3,
  FP8ATTENTION_BAD_KV_HEADS = 4,
  FP8ATTENTION_BAD_SOFTMAX_SCALE = 5,
  FP8ATTENTION_MISALIGNED = 6,
  FP8ATTENTION_BAD_INPUT_STRIDE = 7,
  FP8ATTENTION_BAD_OUTPUT_STRIDE = 8,
  FP8ATTENTION_WRONG_DEVICE = 9,
  FP8ATTENTION_OVERLAP = 10,
  FP8ATTENTION_BAD_STRUCT = 12,
  FP8ATTENTION_BAD_MULTIPROCESSORS = 13,
  FP8ATTENTION_BAD_FORMAT = 22,
  /* of fp8attention_quantise alone */
  FP8ATTENTION_BAD_COUNT = 21,
  FP8ATTENTION_BAD_VALUES_STRIDE = 23,
  FP8ATTENTION_BAD_CODES_STRIDE = 24,
  FP8ATTENTION_MISALIGNED_VALUES = 25,
  FP8ATTENTION_CODES_OVERLAP = 26,
  FP8ATTENTION_CUDA = 1000 /* and CUDA's own cudaError_t added to it */
};

/* How much workspace fp8attention_forward can use for this problem, on the
 * device of o, or on the current one where o is NULL. 0: none, or it would
 * refuse the sizes. */
int64_t fp8attention_forward_workspace(const fp8attention_problem *problem);

/* Starts the kernel. Any other return value than FP8ATTENTION_OK means that
 * nothing was started, and o and lse are as they were. What goes wrong while
 * the kernel runs comes later, from CUDA, as with every kernel; a call after
 * that gives it back as FP8ATTENTION_CUDA + error. */
int fp8attention_forward(const fp8attention_problem *problem,
                         struct CUstream_st *stream);

/* Fills all strides for contiguous [batch][heads][seq_len][head_dim], k and v
 * with kv_heads and key_len, from the sizes in the struct. */
void fp8attention_contiguous(fp8attention_problem *problem);

//> tensor
/* What fp8attention_quantise reads, and where it writes codes and scales: a
 * tensor of fp16 or bf16 numbers with a scale for each head. */
typedef struct {
  /* As in fp8attention_problem; k and v have its kv_heads for heads. Where one
   * of the first three is 0, nothing is read or written, no scale either. */
  int64_t batch, heads, seq_len, head_dim;
  int format; /* FP8ATTENTION_FP16 or FP8ATTENTION_BF16 */

  /* Device memory, values and codes aligned to 16 bytes, scales [batch][heads].
   * Of values, strides are multiples of 8, and at least head_dim; of codes they
   * are as fp8attention_problem wants them, and no two rows overlap, be they of
   * one tensor or, which is not checked, of two. From the first code of a
   * tensor to its last, and in its scales, no memory is that of values, of
   * scales or of the workspace. */
  const uint16_t *values;
  uint8_t *codes;
  float *scale;
  fp8attention_strides values_strides, codes_strides;
} fp8attention_tensor;

/* Makes codes and scales of up to four tensors, as of q, k and v:
 *
 *   scale = largest |value| of the head / 448, and 1 where all are zeros
 *   code  = value / scale, rounded to the nearest E4M3, of two to the even one
 *
 * A value that is NaN or infinite becomes the code of NaN, and the scale is
 * that of the finite ones. So what attention makes of it is NaN, and other
 * heads are as they were.
 *
 * The workspace is device memory, aligned to 16 bytes, of as many bytes as
 * fp8attention_workspace says; it may be used again when the work on the stream
 * is done. Like fp8attention_forward, this starts its work on the stream and
 * returns; what it writes, that may read in the next call. */
int fp8attention_quantise(const fp8attention_tensor *tensors, int count,
                          void *workspace, struct CUstream_st *stream);

/* 0 where fp8attention_quantise would refuse count, a size or a head_dim; at
 * least 16 otherwise. */
int64_t fp8attention_workspace(const fp8attention_tensor *tensors, int count);
//< tensor

/* One sentence on a return value; not to be freed. */
const char *fp8attention_error_text(int code);

#ifdef __cplusplus
}
#endif

#endif
