#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "Q.K^T on tensor cores, K and V copied by cp.async",
  };
  return stage_main(&stage, argc, argv);
}
