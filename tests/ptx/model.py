"""Where a tile's codes come to lie and from where a product reads them, by the
manuals alone: what tensor_map hands to the driver and what wgmma_tile_at makes
are taken from the headers' own functions, compiled for the host."""

import tempfile
from functools import lru_cache
from pathlib import Path

from support import run

# Which of bits 4 to 6 of an address are turned by bits 7 to 9: by the mode's
# name (CUDA driver API, "cuTensorMapEncodeTiled"), and by its number in a
# descriptor (PTX ISA, "Matrix Descriptor Format").
TURNED_BY_MAP = {"64B": 3, "128B": 7}
TURNED_BY_DESCRIPTOR = {0: 0, 3: 1, 2: 3, 1: 7}
# Its fields; what lies between them is 0 here.
START, LEADING, STRIDE, MODE = 0, 16, 32, 62
RESERVED = (3 << 14) | (3 << 30) | (0xffff << 46)
# As in PROBE.
TILE_ROWS, ROWS, HEADS, BATCHES = 48, 50, 3, 2

PROBE = r"""
#include <cuda.h>
#include <cstdio>
#include <initializer_list>
#include "common/device/interface/attention.h"
using wgmma_tile = uint64_t;
static uint64_t __cvta_generic_to_shared(const void *p) { return (uint64_t)p; }
static CUresult driver(CUtensorMap *, CUtensorMapDataType type, cuuint32_t rank,
    void *, const cuuint64_t *sizes, const cuuint64_t *strides,
    const cuuint32_t *box, const cuuint32_t *every, CUtensorMapInterleave mixed,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill
    fill) {
  std::printf("map %d %u %d %d %d", type, rank, mixed, swizzle, fill);
  for (unsigned i = 0; i < rank; i++)
    std::printf(" %llu %llu %u %u", (unsigned long long)sizes[i],
                i ? (unsigned long long)strides[i - 1] : 1, box[i], every[i]);
  std::printf("\n");
  return CUDA_SUCCESS;
}
static auto tensor_map_encoder() { return driver; }
FUNCTIONS
template <int BYTES> static void tell() {
  CUtensorMap map;
  tensor_strides strides;
  strides.row = BYTES + 32, strides.head = 8192, strides.batch = 65536;
  tensor_map(&map, nullptr, BYTES, 50, 3, 2, strides, 48);
  for (uint64_t at : {1024, 215 * 1024})
    for (int column = 0; column < BYTES; column += 32) {
      const auto *tile = (const void *)at;
      std::printf("tile %d %llu %d %llu %llu\n", BYTES, (unsigned long long)at,
          column, (unsigned long long)wgmma_tile_at<BYTES>(tile, column),
          (unsigned long long)wgmma_further(wgmma_tile_at<BYTES>(tile, 0),
                                            column));
    }
}
int main() {
  std::printf("enums %d %d %d %d %d\n", CU_TENSOR_MAP_DATA_TYPE_UINT8,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
      CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B);
  tell<64>();
  tell<128>();
}
"""


@lru_cache(maxsize=None)
def told(functions):
    """What the probe prints."""
    include = run("tools/setup/cuda-home.sh --headers").text.strip()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE.replace("FUNCTIONS", functions))
        ran = run(f"g++ -std=c++17 -w -D__device__= -I. -isystem {include} "
                  f"-o {folder}/probe {source} && {folder}/probe")
    assert ran.code == 0, ran.text[-3000:]
    return [line.split() for line in ran.text.splitlines()]


def turned(address, mask):
    """The swizzle, by addresses in shared memory."""
    return address ^ (address >> 7 & mask) << 4


class Map:
    """What cuTensorMapEncodeTiled was told."""

    def __init__(self, numbers, enums):
        numbers = list(map(int, numbers))
        uint8, no_interleave, zeros, swizzle_64, swizzle_128 = enums
        kind, self.rank, mixed, swizzle, fill = numbers[:5]
        # size, stride in bytes, extent and step of the box, the fastest first
        self.of = [numbers[5 + 4 * i:9 + 4 * i] for i in range(self.rank)]
        self.mask = {swizzle_64: TURNED_BY_MAP["64B"],
                     swizzle_128: TURNED_BY_MAP["128B"]}.get(swizzle, 0)
        self.plain = (kind, mixed, fill) == (uint8, no_interleave, zeros) and \
            all(step == 1 for _, _, _, step in self.of)

    def load(self, tile, place):
        """The tile that begins at this place, by address in shared memory:
        the place in global memory of each byte, or 0."""
        memory, number = {}, 0
        extents = [box for _, _, box, _ in self.of]
        total = 1
        for extent in extents:
            total *= extent
        for number in range(total):
            rest, address, inside = number, 0, True
            for (size, stride, extent, _), first in zip(self.of, place):
                at = first + rest % extent
                rest //= extent
                inside &= 0 <= at < size
                address += at * stride
            memory[turned(tile + number, self.mask)] = address + 1 if inside \
                else 0
        return memory


def read_by_product(descriptor, row, byte):
    """The address of a byte of 32 in a row of an operand: 8 rows along k, as
    long as the swizzle is wide, then a stride."""
    start = (descriptor >> START & 0x3fff) << 4
    stride = (descriptor >> STRIDE & 0x3fff) << 4
    mask = TURNED_BY_DESCRIPTOR[descriptor >> MODE]
    return turned(start + row // 8 * stride + row % 8 * 16 * (mask + 1) + byte,
                  mask)


@lru_cache(maxsize=None)
def differences(functions, coordinates):
    """Sentences about tensor_map and wgmma_tile_at. `coordinates` of the load,
    in its order, are 0 or names."""
    lines = told(functions)
    enums = list(map(int, lines[0][1:]))
    said, maps = [], {}
    for words in lines[1:]:
        if words[0] == "map":
            maps[64 if not maps else 128] = Map(words[1:], enums)
    for bytes_, made in maps.items():
        said += of_map(made, bytes_, coordinates)
    if said:
        return said
    for _, bytes_, at, column, tile, further in (
            w for w in lines if w[0] == "tile"):
        said += of_tile(maps[int(bytes_)], int(bytes_), int(at), int(column),
                        int(tile), coordinates)
        if tile != further:
            said.append("wgmma_further: is not wgmma_tile_at of that column")
    return list(dict.fromkeys(said))


def place_of(coordinates, row, head, batch):
    names = {"row": row, "head": head, "batch": batch}
    return [names[c] if c in names else int(c) for c in coordinates]


def wanted(bytes_, row, head, batch, byte):
    """The place in global memory, or 0 outside."""
    if not (0 <= row < ROWS and 0 <= head < HEADS and 0 <= batch < BATCHES):
        return 0
    return batch * 65536 + head * 8192 + row * (bytes_ + 32) + byte + 1


def of_map(made, bytes_, coordinates):
    """Does each row lie where the kernels' own places have it?"""
    if not made.plain:
        return ["tensor_map: not every byte of it, or no zeros past the end"]
    if len(coordinates) != made.rank:
        return [f"tma_load: {len(coordinates)} coordinates of a map of "
                f"{made.rank} dimensions"]
    for row, head, batch in ((0, 0, 0), (30, 1, 1), (-8, 2, 0), (3, HEADS, 0)):
        tile = made.load(1024, place_of(coordinates, row, head, batch))
        if len(tile) != TILE_ROWS * bytes_:
            return [f"tensor_map: a tile of {len(tile)} bytes"]
        for r in range(TILE_ROWS):
            swizzle = r % 8 if bytes_ == 128 else r // 2 % 4
            for b in range(bytes_):
                at = 1024 + r * bytes_ + (b // 16 ^ swizzle) * 16 + b % 16
                if tile.get(at) != wanted(bytes_, row + r, head, batch, b):
                    return [f"tensor_map: byte {b} of row {r} lies elsewhere, "
                            f"or is another, in rows of {bytes_}"]
    return []


def of_tile(made, bytes_, at, column, descriptor, coordinates):
    """Does a product find there what a load has brought?"""
    if descriptor & RESERVED or (descriptor >> LEADING & 0x3fff) != 1:
        return ["wgmma_tile_at: a field that is unused here is not 0, or the "
                "leading offset not 1"]
    tile = made.load(at, place_of(coordinates, 1, 1, 1))
    for row in range(TILE_ROWS):
        for byte in range(32):
            if tile.get(read_by_product(descriptor, row, byte)) != wanted(
                    bytes_, 1 + row, 1, 1, column + byte):
                return [f"wgmma_tile_at: a product reads another byte than "
                        f"{column + byte} of row {row}, in rows of {bytes_}"]
    return []
