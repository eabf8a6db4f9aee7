#include "common/harness/time/timing.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* NVML comes with the driver, not with the toolkit: it is opened at run time,
 * and these four calls of its stable interface are all that is needed. */
typedef struct nvml_device *nvml_device;
typedef int init_function(void);
typedef int handle_function(const char *, nvml_device *);
typedef int clock_function(nvml_device, int, unsigned *);
typedef int power_function(nvml_device, unsigned *);
typedef int reasons_function(nvml_device, unsigned long long *);
enum { NVML_CLOCK_SM = 1, SAMPLE_US = 10000 };

static struct {
  nvml_device device;
  clock_function *clock;
  power_function *power;
  reasons_function *reasons;
  pthread_t thread;
  bool running;
  atomic_bool stop;
  clock_log log;
} sampler;

/* NVML counts all GPUs of the machine, CUDA those that this process may see:
 * where the one in use sits on the bus, both say alike. */
static bool open_nvml(void) {
  if (sampler.device) return true;
  int device;
  char bus[32];
  if (cudaGetDevice(&device) || cudaDeviceGetPCIBusId(bus, sizeof bus, device))
    return false;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return false;
  init_function *init;
  handle_function *handle;
  *(void **)&init = dlsym(library, "nvmlInit_v2");
  *(void **)&handle = dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **)&sampler.clock = dlsym(library, "nvmlDeviceGetClockInfo");
  *(void **)&sampler.power = dlsym(library, "nvmlDeviceGetPowerUsage");
  *(void **)&sampler.reasons =
      dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  return init && handle && sampler.clock && sampler.power && sampler.reasons &&
         init() == 0 && handle(bus, &sampler.device) == 0;
}

static void take_sample(clock_log *log) {
  unsigned mhz = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  if (sampler.clock(sampler.device, NVML_CLOCK_SM, &mhz) ||
      sampler.power(sampler.device, &milliwatts))
    return;
  sampler.reasons(sampler.device, &reasons);
  const double watts = milliwatts / 1000.0;
  if (log->count == 0 || (int)mhz < log->clock_min) log->clock_min = (int)mhz;
  if ((int)mhz > log->clock_max) log->clock_max = (int)mhz;
  if (watts > log->power_max) log->power_max = watts;
  log->clock_mean += mhz;
  log->power_mean += watts;
  log->throttle |= reasons;
  log->count++;
}

static void *sample(void *unused) {
  (void)unused;
  do {
    take_sample(&sampler.log);
    usleep(SAMPLE_US);
  } while (!atomic_load(&sampler.stop));
  return NULL;
}

void clocks_begin(void) {
  sampler.log = (clock_log){0};
  atomic_store(&sampler.stop, false);
  sampler.running = open_nvml() &&
                    pthread_create(&sampler.thread, NULL, sample, NULL) == 0;
}

void clocks_end(clock_log *log) {
  if (sampler.running) {
    atomic_store(&sampler.stop, true);
    pthread_join(sampler.thread, NULL);
    sampler.running = false;
  }
  *log = sampler.log;
  if (log->count == 0) return;
  log->clock_mean /= log->count;
  log->power_mean /= log->count;
}

const char *clocks_throttle_text(unsigned long long reasons, char *text,
                                 int size) {
  static const struct {
    unsigned long long bit;
    const char *name;
  } names[] = {{0x2, "application clocks"}, {0x4, "power cap"},
               {0x8, "hardware slowdown"},  {0x20, "thermal"},
               {0x40, "hardware thermal"},  {0x80, "hardware power brake"}};
  int used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (reasons & names[i].bit && used < size)
      used += snprintf(text + used, (size_t)(size - used), "%s%s",
                       used ? ", " : "", names[i].name);
  if (used == 0) snprintf(text, (size_t)size, "none");
  return text;
}
