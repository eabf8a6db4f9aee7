/* Runs the kernel that it is linked with on inputs from a file, and puts its
 * outputs into another. It knows no answer and holds no code that could work
 * one out: the kernel in it may be anybody's.
 *   attempt INPUTS OUTPUTS
 *   attempt support: prints what it says that it takes. */

#include <stdlib.h>
#include <string.h>

#include "common/harness/launch.h"
#include "common/harness/program.h"
#include "common/simt/simt.h"
#include "tools/labs/judge/judge.h"
#include "tools/labs/judge/launched.h"

/* Seconds that a thread may go on without meeting another, and a block. */
enum { PATIENCE = 3, BLOCK_SECONDS = 10 };

/* In which warps and blocks are run: forward, backward, and a random one. */
enum { ORDERS = 3 };

/* What is wrong where stage_support does not say what is taken of problems like
 * this one, or NULL. While CUDA refuses all launches. */
static const char *answers(const attention_args *a, cudaStream_t stream) {
  static char wrong[240];
  const int before = launched_so_far();
  const cudaError_t said = stage_launch(a, stream);
  const bool named = attention_supports(&stage_support, a);
  if (launched_right(named, before, said)) return NULL;
  snprintf(wrong, sizeof wrong,
           "it %s: %lld,%lld:%lld,%lld,%lld%s%s%s, key_len %d%s%s",
           named && said ? "refuses what stage_support names"
           : named       ? "returns cudaSuccess, and has launched nothing"
           : said == cudaErrorInvalidValue
               ? "refuses what stage_support does not name only after it has "
                 "launched a kernel or set memory for it"
               : "takes what stage_support does not name, in place of "
                 "returning cudaErrorInvalidValue",
           (long long)a->batch, (long long)a->heads, (long long)a->kv_heads,
           (long long)a->seq_len, (long long)a->head_dim,
           a->causal ? ",causal" : "", a->strides ? ", with strides" : "",
           a->lse ? ", with lse" : "", a->key_len,
           named && said ? ": " : "",
           named && said ? cudaGetErrorString(said) : "");
  return wrong;
}

/* TMA has a limit. */
enum { WIDEST = 1024, SOME = 5, MORE_BITS = 16, GROUPS = 17, MANY_KEYS = 400 };

/* Each head_dim, those that are the problem's in fewer bits, numbers below 0,
 * up to that many keys, and more than there are, K and its scales as Q and V,
 * groups of heads, and each combination of all else. */
static const char *takes_others(const void *problem, cudaStream_t stream) {
  const attention_args *args = problem;
  const int s = (int)args->seq_len, keys[SOME] = {0, s, s + 1, s / 2 + 1, -1};
  const int groups[SOME] = {1, 2, 3, 4, 8};
  attention_args a = *args;
  attention_strides wide;
  const char *wrong = NULL;
  for (a.head_dim = 0; a.head_dim <= WIDEST && !wrong; a.head_dim++) {
    wide = contiguous_strides(&a);
    if (args->strides && a.head_dim > args->head_dim) a.strides = &wide;
    wrong = answers(&a, stream);
  }
  a.strides = args->strides;
  for (int bits = 7; bits < 63 && !wrong; bits++) {
    a.head_dim = args->head_dim + (1LL << bits);
    wrong = answers(&a, stream);
  }
  a.head_dim = -args->head_dim;
  if (!wrong) wrong = answers(&a, stream);
  a.head_dim = args->head_dim;
  for (int bits = 0; bits < 31 && !wrong; bits++) {
    a.key_len = -(1 << bits);
    wrong = answers(&a, stream);
  }
  for (int bits = 0; bits < MORE_BITS && !wrong; bits++) {
    a.key_len = s + (1 << bits);
    wrong = answers(&a, stream);
  }
  for (a.key_len = 0; a.key_len < MANY_KEYS && !wrong; a.key_len++)
    wrong = answers(&a, stream);
  for (a.key_len = s > 40 ? s - 40 : 1; a.key_len < s + 40 && !wrong;
       a.key_len++)
    wrong = answers(&a, stream);
  a.key_len = args->key_len;
  for (int group = 1; group <= GROUPS && !wrong; group++) {
    a.heads = a.kv_heads * group;
    wrong = answers(&a, stream);
  }
  a.heads = args->heads;
  a.v = a.q = a.k;
  a.v_scale = a.q_scale = a.k_scale;
  if (!wrong) wrong = answers(&a, stream);
  a.v = args->v;
  a.q = args->q;
  a.v_scale = args->v_scale;
  a.q_scale = args->q_scale;
  for (int i = 0; i < 8 * SOME * SOME * SOME && !wrong; i++) {
    a.causal = i & 1;
    a.lse = i & 2 ? (float *)(void *)args->o + i / 8 % 4 : NULL;
    a.key_len = keys[i / 8 % SOME];
    a.batch = 1 + i / 8 / SOME % SOME;
    a.heads = a.kv_heads * groups[i / 8 / SOME / SOME];
    attention_strides strides = contiguous_strides(&a);
    if (i / 8 % 2) strides.q.row += 16;
    a.strides = i & 4 ? &strides : NULL;
    wrong = answers(&a, stream);
  }
  return wrong;
}

static cudaError_t start(const void *args, cudaStream_t stream) {
  return stage_launch(args, stream);
}

static cudaError_t launch(const attention_args *args, cudaStream_t stream) {
  (void)stream;
  attention_strides before = {0};
  if (args->strides) before = *args->strides;
  const cudaError_t error =
      launched(start, args, sizeof *args, takes_others);
  if (!args->strides || !memcmp(&before, args->strides, sizeof before))
    return error;
  puts("launch: it has changed the strides that its argument points to");
  return cudaErrorUnknown;
}

/* Where nobody wants the lse, O is the same: by some inputs that is judged. */
static bool run(upload *u, const problem *p, uint16_t *o, float *lse,
                reason *why) {
  const bool with_lse = u->args.lse;
  if (!upload_run(u, launch, o, why) ||
      (with_lse && !upload_lse(u, lse, why)))
    return false;
  if (!with_lse || p->q_codes[0] % 2) return true;
  u->args.lse = NULL;
  if (upload_run(u, launch, o, why)) return true;
  puts("lse: the kernel fails where args.lse is NULL");
  return false;
}

static bool attempt(FILE *outputs, const problem *p, reason *why) {
  const size_t count = attention_shape_elements(&p->shape);
  const size_t rows = count / (size_t)p->shape.head_dim;
  uint16_t *o = malloc(count * sizeof *o);
  float *lse = malloc(rows * sizeof *lse);
  upload u;
  if (!o || !lse)
    return refuse(why, "There is too little memory for the output.");
  bool good = upload_new(&u, p, problem_draw(p), why);
  if (good) {
    upload_ask(&u, &stage_support);
    const bool with_lse = u.args.lse;
    good = run(&u, p, o, lse, why);
    upload_free(&u);
    const bool hangs = cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
    if (!good) {
      simt_print_findings(stdout);
      cudaDeviceReset();
    }
    bool written = outputs_write(outputs, good ? o : NULL, count, why);
    if (good && with_lse)
      written &= outputs_write(outputs, (uint16_t *)lse, 2 * rows, why);
    good = written && !hangs; /* the next one would, too */
    if (!written) refuse(why, "The outputs cannot be written.");
  }
  free(o);
  free(lse);
  return good;
}

int main(int argc, char **argv) {
  reason why = {""};
  problem p;
  int multiprocessors, more;
  if (argc == 2 && !strcmp(argv[1], "support")) {
    support_print(&stage_support);
    return EXIT_PASS;
  }
  if (argc != 3)
    return give_up("attempt", EXIT_USAGE, "It needs INPUTS and OUTPUTS.");
  FILE *inputs = fopen(argv[1], "rb"), *outputs = fopen(argv[2], "wb");
  if (!inputs || !outputs)
    return give_up("attempt", EXIT_IMPOSSIBLE, "Its files cannot be opened.");
  simt_set_patience(PATIENCE, BLOCK_SECONDS);
  while ((more = inputs_read(inputs, &p, &multiprocessors, &why)) > 0) {
    device_set_multiprocessors(multiprocessors);
    const uint64_t order = problem_draw(&p) % ORDERS;
    printf("Order %d\n", (int)order);
    simt_set_order(order);
    const bool good = attempt(outputs, &p, &why);
    problem_free(&p);
    if (!good) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  }
  if (more < 0) return give_up("attempt", EXIT_IMPOSSIBLE, why.text);
  launched_print();
  return fclose(outputs) ? EXIT_IMPOSSIBLE : EXIT_PASS;
}
