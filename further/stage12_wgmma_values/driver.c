#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "P by V in wgmma, too: P in E4M3, V transposed",
      .excuses = {"zero-times-nan", "tiny-scales"},
  };
  return stage_main(&stage, argc, argv);
}
