#ifndef PROGRAMS_H
#define PROGRAMS_H

/* What a whole CUDA program does with its host and its kernels: each case is a
 * main of its own, chosen by name; `bug` 0 is right. */

#include <cstdio>
#include <cuda_runtime.h>

#include "common/device/interface/launch.cuh"

using program = void(int bug);

template <class T> T *device(size_t count) {
  T *memory = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&memory), count * sizeof(T));
  return memory;
}

template <class T> T *zeros(size_t count) {
  T *memory = device<T>(count);
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}

#endif
