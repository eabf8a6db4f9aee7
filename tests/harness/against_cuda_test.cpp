// Our encoders against CUDA's own, on the host: cuda_fp8.h and cuda_fp16.h.

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
#include "common/harness/problem/e4m3.h"
#include "common/harness/problem/half.h"
}

static int number, failures;

static void tell(bool good, const char *what) {
  std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
  failures += !good;
}

static float from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Every float that differs from its neighbour in the upper 19 bits, so that
// each sign, exponent and many mantissas are met, NaN and infinity among them.
template <typename Check> static bool over_many_floats(Check check) {
  bool good = true;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 1 << 13) {
    good = good && check(from_bits(static_cast<uint32_t>(bits)));
    good = good && check(from_bits(static_cast<uint32_t>(bits | 1)));
  }
  return good;
}

static bool decodes_alike() {
  bool good = true;
  for (int code = 0; code < 256; code++) {
    __nv_fp8_e4m3 theirs;
    theirs.__x = static_cast<__nv_fp8_storage_t>(code);
    const float a = static_cast<float>(theirs);
    const float b = e4m3_decode(static_cast<uint8_t>(code));
    good = good && (a == b || (a != a && b != b));
  }
  return good;
}

static bool encodes_alike(float x) {
  const uint8_t theirs =
      __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  const uint8_t ours = e4m3_encode(x);
  if (x != x) return (theirs & 0x7F) == 0x7F && ours == 0x7F;
  return theirs == ours;
}

static bool halves_alike(float x) {
  const __half theirs = __float2half_rn(x);
  uint16_t bits;
  std::memcpy(&bits, &theirs, sizeof bits);
  if (x != x) return (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF);
  return bits == half_encode(x);
}

int main() {
  tell(decodes_alike(), "all 256 codes decode as CUDA decodes them");
  tell(over_many_floats(encodes_alike), "a million floats encode alike");
  tell(over_many_floats(halves_alike), "a million floats become fp16 alike");
  std::printf("1..%d\n", number);
  return failures > 0;
}
