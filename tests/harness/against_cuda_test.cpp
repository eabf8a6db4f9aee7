// Our encoders against CUDA's own, on the host: cuda_fp8.h and cuda_fp16.h.

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
#include "common/harness/numbers.h"
}

static int number, failures;

static void tell(bool good, const char *what) {
  std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
  failures += !good;
}

static bool alike(float a, float b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

// Each tie between two halves, and with it each between two codes, and the
// floats beside it; every sign and exponent, NaN and infinity among them.
template <typename Check> static bool over_many_floats(Check check) {
  bool good = true;
  for (uint64_t tie = 0; tie < (1ull << 32); tie += 1 << 12)
    for (int beside = -1; beside <= 1; beside++) {
      const uint32_t bits = static_cast<uint32_t>(tie + beside);
      float x;
      std::memcpy(&x, &bits, sizeof x);
      good = good && check(x);
    }
  return good;
}

static bool all_decode_alike() {
  bool good = true;
  for (int i = 0; i < 65536; i++) {
    const uint16_t bits = static_cast<uint16_t>(i);
    __nv_fp8_e4m3 code;
    code.__x = static_cast<__nv_fp8_storage_t>(i);
    good = good && alike(__half2float(__ushort_as_half(bits)), half_decode(bits))
           && alike(static_cast<float>(code), e4m3_decode(code.__x));
  }
  return good;
}

static bool codes_alike(float x) {
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
  if (x != x) return half_encode(x) == 0x7FFF;
  return bits == half_encode(x);
}

int main() {
  tell(all_decode_alike(), "all codes and halves decode as CUDA decodes them");
  tell(over_many_floats(codes_alike), "three million floats encode alike");
  tell(over_many_floats(halves_alike), "and become fp16 alike");
  std::printf("1..%d\n", number);
  return failures > 0;
}
