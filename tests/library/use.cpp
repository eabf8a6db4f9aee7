// The header from C++, first of all includes: C's linkage, and no warning.
#include "libfp8attention/fp8attention.h"

int use(const fp8attention_problem &problem, CUstream_st *stream) {
  fp8attention_problem mine = problem;
  fp8attention_contiguous(&mine);
  const fp8attention_tensor tensor = fp8attention_tensor();
  if (!fp8attention_workspace(&tensor, 1) ||
      fp8attention_forward_workspace(&mine) < 0 ||
      fp8attention_quantise(&tensor, 1, 0, stream))
    return 1;
  const int code = fp8attention_forward(&mine, stream);
  return code == FP8ATTENTION_OK ? 0 : *fp8attention_error_text(code);
}
