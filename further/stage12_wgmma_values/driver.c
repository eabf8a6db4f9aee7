#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage12_wgmma_values",
      .summary = "P by V in wgmma, too: P in E4M3, V transposed",
  };
  return stage_main(&stage, argc, argv);
}
