/* SPDX-License-Identifier: BSD-3-Clause */
/* Learn a dictionary from C, code samples with it, keep it in a file, and read it again.

   cc learn_and_encode.c $(pkg-config --cflags --libs dualdict) && ./a.out model.safetensors */
#include <stdio.h>
#include <stdlib.h>

#include "dualdict.h"

enum { N_SAMPLES = 600, N_FEATURES = 16, N_ATOMS = 24 };

/* Every function says by its status whether it worked; an error object says why not. */
static void check(dualdict_status status, dualdict_error* error) {
  if (status == DUALDICT_OK) return;
  fprintf(stderr, "dualdict: %s\n", dualdict_error_message(error));
  dualdict_error_free(error);
  exit((int)status);
}

/* Sums of two hidden patterns each: sine waves of three frequencies and two heights. */
static void make_samples(float* samples) {
  unsigned state = 1;
  int i, j, used;
  for (i = 0; i < N_SAMPLES * N_FEATURES; ++i) samples[i] = 0.0f;
  for (i = 0; i < N_SAMPLES; ++i) {
    for (used = 0; used < 2; ++used) {
      int period, phase;
      float height;
      state = state * 1664525u + 1013904223u;
      period = 2 + (int)((state >> 16) % 5u);
      phase = (int)((state >> 20) % 4u);
      height = (state >> 28) % 2u ? 1.0f : -0.5f;
      for (j = 0; j < N_FEATURES; ++j)
        samples[i * N_FEATURES + j] += (j + phase) % (2 * period) < period ? height : -height;
    }
  }
}

static int show(const dualdict_iteration* record, void* context) {
  (void)context;
  if (record->iteration % 10 == 0)
    printf("%3u: E = %.4f, %.2f nonzeros per code\n", (unsigned)record->iteration, record->energy,
           record->nonzeros_per_code);
  return 0; /* anything else ends the fit */
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "model.safetensors";
  static float samples[N_SAMPLES * N_FEATURES], codes[N_SAMPLES * N_ATOMS], decoded[N_SAMPLES * N_FEATURES];
  static double errors[N_SAMPLES];
  dualdict_error* error = NULL;
  dualdict_options* options = NULL;
  dualdict_model *model = NULL, *kept = NULL;
  dualdict_encoder* encoder = NULL;
  dualdict_hooks hooks = DUALDICT_HOOKS_INIT;
  dualdict_summary summary = DUALDICT_SUMMARY_INIT;
  dualdict_encode_options how = DUALDICT_ENCODE_OPTIONS_INIT;
  double mean = 0;
  int i;

  make_samples(samples);
  check(dualdict_options_new(&options, &error), error);
  check(dualdict_options_set(options, "atoms", "24", &error), error);
  check(dualdict_options_set(options, "nonzeros", "3", &error), error);
  hooks.on_iteration = show;
  check(dualdict_learn_f32(samples, N_SAMPLES, N_FEATURES, options, &hooks, &model, &summary, &error), error);
  printf("dualdict %s: outcome %d after %u iterations, %.2f nonzeros per code\n", dualdict_version(),
         (int)summary.outcome, (unsigned)summary.n_iterations, summary.nonzeros_per_code);

  check(dualdict_model_save(model, path, &error), error);
  check(dualdict_model_load(path, &kept, &error), error);
  how.mode = "greedy";
  check(dualdict_encoder_new(kept, &how, &encoder, &error), error);
  check(dualdict_encode_f32(encoder, samples, N_SAMPLES, N_FEATURES, codes, N_ATOMS, &error), error);
  check(dualdict_decode_f32(encoder, codes, N_SAMPLES, N_ATOMS, decoded, N_FEATURES, &error), error);
  check(dualdict_score_f32(encoder, samples, N_SAMPLES, N_FEATURES, 1, errors, &error), error);
  for (i = 0; i < N_SAMPLES; ++i) mean += errors[i] / N_SAMPLES;
  printf("mean |x - decoded| / |x| = %.3f\n", mean);

  dualdict_encoder_free(encoder);
  dualdict_model_free(kept);
  dualdict_model_free(model);
  dualdict_options_free(options);
  return mean < 0.5 ? 0 : 1;
}
