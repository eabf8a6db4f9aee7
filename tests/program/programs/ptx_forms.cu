// Instructions of PTX that are no products, in the forms that people write. One
// warp; each check that fails counts. FAULT=1 does not wait for a copy.
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define EXPECT(x) wrong += !(x)
#define BROADCAST(put, x, address)                                             \
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"                 \
               : "=r"(put)                                                     \
               : "r"(x), "r"(address), "n"(31))

__device__ inline uint64_t globaltimer() {
  uint64_t t;
  asm volatile(R"(mov.u64 %0, %%globaltimer;)" : "=l"(t));
  return t;
}

__global__ void check(int *out, float *global) {
  __shared__ uint32_t word[33];
  __shared__ uint64_t bar;
  __shared__ alignas(16) float4 copied[32];
  const unsigned lane = threadIdx.x;
  unsigned x, y, mask, at;
  int i, wrong = 0;
  float f;
  asm("mov.u32 %0, %%laneid; // the lane\n\tmov.u32 %1, %%ctaid.x;"
      : "=r"(x), "=r"(y));
  EXPECT(x == lane && y == 0);
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(x) : "r"(lane));
  EXPECT(x == (lane ^ 1));
  asm volatile("{ .reg .pred p;\n"
               "  shfl.sync.down.b32 %0|p, %2, 4, 0x1f, 0xffffffff;\n"
               "  selp.s32 %1, -1, 2, p; }"
               : "=r"(x), "=r"(i) : "r"(lane));
  EXPECT(x == (lane < 28 ? lane + 4 : lane) && i == (lane < 28 ? -1 : 2));
  asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x181f, 0xffffffff;" // of 8 lanes
               : "=r"(x) : "r"(lane));
  EXPECT(x == (lane & 24) + 2);
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;"
               : "=f"(f) : "f"(1.5f * lane), "r"(3));
  EXPECT(f == 1.5f * (lane < 3 ? lane : lane - 3));
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 29;\n"
               "vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(mask) : "r"(lane));
  EXPECT(mask == 0xc0000000);
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(i) : "r"(lane));
  EXPECT(i == 496);
  x = 0;
  asm volatile("{ .reg .pred P1; elect.sync _|P1, %1; @P1 mov.u32 %0, 1; }"
               : "+r"(x) : "r"(0xffffffffu));
  EXPECT(x == (lane == 0));

  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
      : "=r"(at) : "l"(word));
  asm volatile("st.shared.u32 [%0+4], %1;" ::"r"(at + 4 * lane), "r"(lane * 3)
               : "memory");
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at + 4 * (32 - lane)));
  EXPECT(x == 3 * (31 - lane));
  asm volatile("bar.sync 1, 32;" ::: "memory");
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at + 4), "r"(2));
  asm volatile("barrier.sync 0;" ::: "memory");
  EXPECT(word[1] == 64);
  uint64_t token;
  const uint32_t bar_at = __cvta_generic_to_shared(&bar);
  if (lane == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(bar_at));
  __syncwarp();
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token)
               : "r"(bar_at) : "memory");
  do
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
                 "selp.b32 %0, 1, 0, p; }"
                 : "=r"(x) : "r"(bar_at), "l"(token) : "memory");
  while (!x);
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(global + 4 * lane));
  EXPECT(v.x == 4 * lane && v.w == 4 * lane + 3);
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"( // @1 read before the wait
                   (uint32_t)__cvta_generic_to_shared(&copied[lane])),
               "l"(global + 4 * lane), "n"(16));
  asm volatile("cp.async.commit_group;");
#if FAULT != 1
  asm volatile("cp.async.wait_group %0;" ::"n"(0));
#endif
  EXPECT(copied[lane].y == v.y); // @1 read before the wait
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(global + 4 * lane),
               "f"(v.y), "f"(0.5f));

  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(-3.0f));
  EXPECT(f == 0.125f);
  const float low_float = 0x1p-127f; // below the normal ones
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(-127.0f));
  EXPECT(f == 0);
  asm("ex2.approx.f32 %0, %1;" : "=f"(f) : "f"(-127.0f));
  EXPECT(f == low_float);
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(f) : "f"(low_float));
  EXPECT(f == -INFINITY);
  asm("lg2.approx.f32 %0, %1;" : "=f"(f) : "f"(low_float));
  EXPECT(f == -127);
  asm("sub.ftz.f32 %0, 0f80800000, %1;" : "=f"(f) : "f"(-low_float));
  EXPECT(f == -0x1p-126f);
  asm("mul.ftz.f32 %0, 0f80800000, %1;" : "=f"(f) : "f"(0.5f));
  EXPECT(f == 0 && signbit(f));
  asm("fma.rn.f32 %0, %1, 0f40000000, 1.0;" : "=f"(f) : "f"(2.5f));
  EXPECT(f == 6);
  asm("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }"
      : "=r"(x) : "r"(0x12345678));
  EXPECT(x == 0x56781234);
  uint16_t codes, low;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
      : "=h"(codes) : "f"(-2.0f), "f"(1.5f));
  EXPECT(codes == 0xc03c);
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(x) : "h"(codes));
  EXPECT(x == 0xc0003e00);
  asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(low) : "f"(1.5f));
  EXPECT(low == 0x3e00);
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(1.0f), "f"(-2.0f));
  EXPECT(x == 0x3f80c000);
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(-7.9f));
  EXPECT(i == -7);
  asm("add.f16x2 %0, %1, %2;" : "=r"(x) : "r"(0x3c003c00), "r"(0x40003c00));
  EXPECT(x == 0x42004000);
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(x) : "r"(12), "r"(10), "r"(1));
  EXPECT(x == 9); // (a & b) | c
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(x) : "r"(0xaaaa1111), "r"(0x2222));
  EXPECT(x == 0x22221111);
  // Bit 3 of a selector: the sign of its byte, eight times over.
  asm("prmt.b32 %0, %1, %2, 0xc98a;" : "=r"(x) : "r"(0x00807fff), "r"(0x80));
  EXPECT(x == 0xff00ffff);
  EXPECT(__byte_perm(0x00807fff, 0x80, 0xc98a) == 0x807fff80); // but not here
  asm("shl.b32 %0, %0, 40;\n\tshr.s32 %1, -8, 1;" : "+r"(x), "=r"(i));
  EXPECT(x == 0 && i == -4);
  asm("{\n\t.reg .u32 n;\n\tmov.u32 n, %1;\n\tmov.u32 %0, 0;\n"
      "LOOP:\n\tadd.u32 %0, %0, n;\n\tsub.u32 n, n, 1;\n\t.reg .pred more;\n"
      "\tsetp.ne.u32 more, n, 0;\n\t@more bra LOOP;\n}"
      : "=&r"(x) : "r"(5));
  EXPECT(x == 15);
  asm("{ .reg .u64 w; mul.wide.u32 w, %1, %1; shr.u64 w, w, 32;\n"
      "cvt.u32.u64 %0, w; }" : "=r"(x) : "r"(0xffffffff));
  EXPECT(x == 0xfffffffe);
  asm("{ .reg .pred p, q; setp.lt.s32 p, %1, 0; setp.gt.or.s32 q, %1, 9, p;\n"
      "@!q mov.u32 %0, 7; }" : "+r"(x) : "r"(-1));
  EXPECT(x == 0xfffffffe);
  asm("mov.u32 %0, 5; add.u32 %0, %0, %1;" : "=&r"(x) : "r"(x));
  EXPECT(x == 3);
  BROADCAST(x, lane, 9);
  EXPECT(x == 9);
  EXPECT(globaltimer() > 0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  atomicAdd(out, wrong);
}

int main() {
  int *out;
  float *global;
  cudaMallocManaged(&out, 4);
  cudaMallocManaged(&global, 128 * 4);
  *out = 0;
  for (int i = 0; i < 128; i++) global[i] = i;
  check<<<1, 32>>>(out, global);
  const bool failed = cudaDeviceSynchronize();
  printf("%d wrong\n", *out + failed);
}
