#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "one thread a row, for the harness's own test",
  };
  return stage_main(&stage, argc, argv);
}
