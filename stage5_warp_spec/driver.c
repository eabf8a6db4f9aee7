#include "common/harness/stage.h"

int main(int argc, char **argv) {
  const stage_description stage = {
      .summary = "producer warps copy and convert, consumer warps compute",
  };
  return stage_main(&stage, argc, argv);
}
