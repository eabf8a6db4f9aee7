#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "tiles in shared memory, online softmax, scalar arithmetic",
  };
  return stage_main(&stage, argc, argv);
}
