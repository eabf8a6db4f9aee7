#include "tools/labs/judge/judge.h"

#include <string.h>

typedef struct {
  uint64_t count; /* 0: it did not come back */
  reason why;
} header;

enum {
  ALL_OF_TAKES = TAKES_CAUSAL | TAKES_GROUPED | TAKES_STRIDES | TAKES_KEY_LEN |
                 RETURNS_LSE
};
void support_print(const attention_support *s) {
  static const char *const roundings[] = {
      [P_FP32] = "a float",
      [P_HALF] = "a half",
      [P_E4M3] = "a code",
      [P_HALF_SHORT_SCORES] = "a half, of short scores"};
  printf("D");
  for (int i = 0; i < 4 && s->head_dims[i]; i++) printf(" %d", s->head_dims[i]);
  const bool known = !(s->takes & ~ALL_OF_TAKES) && !(s->sums & ~DRIFTS) &&
                     (unsigned)s->rounds_p_to < P_ROUNDINGS;
  printf("%s%s%s%s%s, P as %s%s%s\n",
         s->takes & TAKES_CAUSAL ? ", a mask" : "",
         s->takes & TAKES_GROUPED ? ", shared heads" : "",
         s->takes & TAKES_STRIDES ? ", strides" : "",
         s->takes & TAKES_KEY_LEN ? ", a number of keys" : "",
         s->takes & RETURNS_LSE ? ", lse" : "",
         roundings[s->rounds_p_to & 3], s->sums ? ", sums that drift" : "",
         known ? "" : ", and what has no name");
}

bool outputs_write(FILE *file, const uint16_t *o, size_t count,
                   const reason *failed) {
  header h = {.count = o ? count : 0};
  if (!o) h.why = *failed;
  return fwrite(&h, sizeof h, 1, file) == 1 &&
         (!o || fwrite(o, sizeof *o, count, file) == count) && !fflush(file);
}

bool outputs_read(FILE *file, uint16_t *o, size_t count, reason *why) {
  header h;
  if (fread(&h, sizeof h, 1, file) == 1) {
    h.why.text[sizeof h.why.text - 1] = '\0';
    if (h.count == 0) return refuse(why, "%s", h.why.text);
    if (h.count == count && fread(o, sizeof *o, count, file) == count)
      return true;
  }
  return refuse(why, "The program ended before this output was put away.");
}
