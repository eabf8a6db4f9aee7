#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "softmax in the fragment: scores never visit shared memory",
  };
  return stage_main(&stage, argc, argv);
}
