#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage1_cp_async",
      .summary = "Q.K^T on tensor cores, K and V copied by cp.async",
  };
  return stage_main(&stage, argc, argv);
}
