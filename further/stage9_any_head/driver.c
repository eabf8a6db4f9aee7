#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage9_any_head",
      .summary = "any head: D = 128, the causal mask, shared heads",
  };
  return stage_main(&stage, argc, argv);
}
