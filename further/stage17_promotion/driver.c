#include "common/harness/run/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .name = "stage17_promotion",
      .summary = "promotion: long sums leave the tensor cores every 672 keys",
  };
  return stage_main(&stage, argc, argv);
}
