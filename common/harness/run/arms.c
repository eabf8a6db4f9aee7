#include "common/harness/run/stage.h"

#include <dlfcn.h>

#include "common/harness/time/timing.h"

typedef const stage_object *object_function(void);

int arms_open(const stage_object **objects, const stage_options *options,
              reason *why) {
  const int count = options->against.count;
  if (count + 1 > ARMS_MAX) {
    refuse(why, "At most %d arms are timed together.", ARMS_MAX);
    return 0;
  }
  for (int i = 0; i < count; i++) {
    void *library = dlopen(options->against.texts[i], RTLD_NOW | RTLD_LOCAL);
    object_function *get = NULL;
    if (library) *(void **)&get = dlsym(library, "stage_object_get");
    if (!get) {
      refuse(why, "Cannot open the arm: %s.", dlerror());
      return 0;
    }
    objects[i + 1] = get();
  }
  return count + 1;
}
