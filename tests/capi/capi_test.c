/* SPDX-License-Identifier: BSD-3-Clause */
/* Every function of the C interface with what it must refuse: NULL, wrong sizes, NaN, damaged files, unknown names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dualdict.h"

enum { N = 120, D = 6, K = 8 };

static int n_failed = 0;
static float samples[N * D], codes[N * K], back[N * D];
static double samples64[N * D], codes64[N * K], back64[N * D], errors[N], errors64[N], atoms[K * D], filters[K * D];

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      ++n_failed;                                                               \
    }                                                                           \
  } while (0)

static void expect_status(int line, dualdict_status wanted, dualdict_status status, dualdict_error* error,
                          const char* words) {
  const char* message = dualdict_error_message(error);
  if (status != wanted || dualdict_error_status(error) != wanted || (wanted == DUALDICT_OK) != (error == NULL) ||
      strstr(message, words) == NULL) {
    fprintf(stderr, "line %d: status %d with the message \"%s\", not %d with \"%s\"\n", line, (int)status, message,
            (int)wanted, words);
    ++n_failed;
  }
  dualdict_error_free(error);
}
/* The call gives that status, and an error whose message has these words. `e` is the error within the call. */
#define REFUSED(status, words, call)                      \
  do {                                                    \
    dualdict_error* e = NULL;                             \
    const dualdict_status given = (call);                 \
    expect_status(__LINE__, (status), given, e, (words)); \
  } while (0)
#define WORKS(call) REFUSED(DUALDICT_OK, "", call)

static int watched = 0;
static const void* watched_context = NULL;
static int watch(const dualdict_iteration* record, void* context) {
  ++watched;
  watched_context = context;
  EXPECT(record->struct_size == sizeof(dualdict_iteration));
  EXPECT(record->iteration == (size_t)watched);
  EXPECT(record->energy > 0 && record->nonzeros_per_code >= 0);
  return watched == 2;
}
static int n_messages = 0;
static void hear(const char* text, void* context) {
  (void)context;
  if (strlen(text) > 0) ++n_messages;
}

static void make_samples(void) {
  unsigned state = 7;
  int i;
  for (i = 0; i < N * D; ++i) {
    state = state * 1664525u + 1013904223u;
    samples[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
    if ((state >> 5) % 3u != 0) samples[i] *= 0.05f;
    samples64[i] = samples[i];
  }
}

static dualdict_options* options_for_learning(void) {
  dualdict_options* options = NULL;
  WORKS(dualdict_options_new(&options, &e));
  WORKS(dualdict_options_set(options, "atoms", "8", &e));
  WORKS(dualdict_options_set(options, "tau", "0.05", &e));
  WORKS(dualdict_options_set(options, "max-iterations", "30", &e));
  return options;
}

static void test_frees_and_getters_take_null(void) {
  dualdict_error_free(NULL);
  dualdict_text_free(NULL);
  dualdict_options_free(NULL);
  dualdict_interrupt_free(NULL);
  dualdict_interrupt_raise(NULL);
  dualdict_interrupt_clear(NULL);
  dualdict_model_free(NULL);
  dualdict_encoder_free(NULL);
  EXPECT(dualdict_model_n_atoms(NULL) == 0);
  EXPECT(dualdict_model_n_features(NULL) == 0);
  EXPECT(strcmp(dualdict_error_message(NULL), "") == 0);
  EXPECT(dualdict_error_status(NULL) == DUALDICT_OK);
  EXPECT(strcmp(dualdict_version(), DUALDICT_VERSION) == 0);
}

static void test_options(void) {
  dualdict_options* options = NULL;
  char* text = NULL;
  REFUSED(DUALDICT_BAD_USAGE, "options: is NULL", dualdict_options_new(NULL, &e));
  WORKS(dualdict_options_new(&options, &e));
  REFUSED(DUALDICT_BAD_USAGE, "options: is NULL", dualdict_options_set(NULL, "tau", "1", &e));
  REFUSED(DUALDICT_BAD_USAGE, "name: is NULL", dualdict_options_set(options, NULL, "1", &e));
  REFUSED(DUALDICT_BAD_USAGE, "value: is NULL", dualdict_options_set(options, "tau", NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "atom: there is none", dualdict_options_set(options, "atom", "8", &e));
  REFUSED(DUALDICT_BAD_USAGE, "atoms: 0", dualdict_options_set(options, "atoms", "0", &e));
  REFUSED(DUALDICT_BAD_USAGE, "tau: nan", dualdict_options_set(options, "tau", "nan", &e));
  REFUSED(DUALDICT_BAD_USAGE, "solver: other", dualdict_options_set(options, "solver", "other", &e));
  REFUSED(DUALDICT_BAD_USAGE, "scale: nan", dualdict_options_set(options, "scale", "nan", &e));
  REFUSED(DUALDICT_BAD_USAGE, "scale: 0", dualdict_options_set(options, "scale", "0", &e));
  REFUSED(DUALDICT_BAD_USAGE, "scale: 1x", dualdict_options_set(options, "scale", "1x", &e));
  REFUSED(DUALDICT_BAD_USAGE, "unit-norm: yes", dualdict_options_set(options, "unit-norm", "yes", &e));
  WORKS(dualdict_options_set(options, "unit-norm", "true", &e));
  WORKS(dualdict_options_set(options, "atoms", "8", &e));
  REFUSED(DUALDICT_BAD_USAGE, "options: is NULL", dualdict_options_get(NULL, "atoms", &text, &e));
  REFUSED(DUALDICT_BAD_USAGE, "name: is NULL", dualdict_options_get(options, NULL, &text, &e));
  REFUSED(DUALDICT_BAD_USAGE, "value: is NULL", dualdict_options_get(options, "atoms", NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "none of this name", dualdict_options_get(options, "", &text, &e));
  EXPECT(text == NULL);
  WORKS(dualdict_options_get(options, "atoms", &text, &e));
  EXPECT(text != NULL && strcmp(text, "8") == 0);
  dualdict_text_free(text);
  WORKS(dualdict_options_get(options, "unit-norm", &text, &e));
  EXPECT(text != NULL && strcmp(text, "true") == 0);
  dualdict_text_free(text);
  REFUSED(DUALDICT_BAD_USAGE, "options: is NULL", dualdict_options_start(NULL, samples64, NULL, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "dictionary: is NULL", dualdict_options_start(options, NULL, NULL, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "more than any memory",
          dualdict_options_start(options, samples64, NULL, (size_t)-1, (size_t)-1, &e));
  WORKS(dualdict_options_start(options, samples64, samples64, K, D, &e));
  dualdict_options_free(options);
  REFUSED(DUALDICT_BAD_USAGE, "json: is NULL", dualdict_describe_options(NULL, &e));
  WORKS(dualdict_describe_options(&text, &e));
  EXPECT(text != NULL && strstr(text, "\"inner-tolerance\"") != NULL);
  dualdict_text_free(text);
}

static void test_learn_refuses(void) {
  dualdict_options* options = options_for_learning();
  dualdict_options* unset = NULL;
  dualdict_model* model = NULL;
  dualdict_hooks hooks = DUALDICT_HOOKS_INIT;
  dualdict_summary summary = DUALDICT_SUMMARY_INIT;
  static float bad[N * D];
  static double bad64[N * D];
  memcpy(bad, samples, sizeof(bad));
  memcpy(bad64, samples64, sizeof(bad64));
  bad[5] = (float)NAN;
  bad64[5] = INFINITY;
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_learn_f32(samples, N, D, options, NULL, NULL, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_learn_f64(samples64, N, D, options, NULL, NULL, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "samples: is NULL", dualdict_learn_f32(NULL, N, D, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "samples: is NULL", dualdict_learn_f64(NULL, N, D, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "options: is NULL", dualdict_learn_f32(samples, N, D, NULL, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_INPUT, "0 x 6 is empty", dualdict_learn_f32(samples, 0, D, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_INPUT, "is empty", dualdict_learn_f64(samples64, N, 0, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "more than any memory",
          dualdict_learn_f32(samples, (size_t)-1, D, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_INPUT, "NaN", dualdict_learn_f32(bad, N, D, options, NULL, &model, NULL, &e));
  REFUSED(DUALDICT_BAD_INPUT, "infinite", dualdict_learn_f64(bad64, N, D, options, NULL, &model, NULL, &e));
  hooks.struct_size = 0;
  REFUSED(DUALDICT_BAD_USAGE, "hooks.struct_size",
          dualdict_learn_f32(samples, N, D, options, &hooks, &model, NULL, &e));
  summary.struct_size = 1;
  REFUSED(DUALDICT_BAD_USAGE, "summary.struct_size",
          dualdict_learn_f32(samples, N, D, options, NULL, &model, &summary, &e));
  WORKS(dualdict_options_new(&unset, &e));
  REFUSED(DUALDICT_BAD_USAGE, "atoms", dualdict_learn_f32(samples, N, D, unset, NULL, &model, NULL, &e));
  EXPECT(model == NULL);
  /* Without a place for the error there is still the status. */
  EXPECT(dualdict_learn_f32(NULL, N, D, options, NULL, &model, NULL, NULL) == DUALDICT_BAD_USAGE);
  dualdict_options_free(unset);
  dualdict_options_free(options);
}

static void test_hooks(void) {
  dualdict_options* options = options_for_learning();
  dualdict_model* model = NULL;
  dualdict_interrupt* interrupt = NULL;
  dualdict_hooks hooks = DUALDICT_HOOKS_INIT;
  dualdict_summary summary = DUALDICT_SUMMARY_INIT;
  int here = 0;
  hooks.context = &here;
  hooks.on_iteration = watch;
  hooks.on_message = hear;
  WORKS(dualdict_options_set(options, "tau", "", &e));
  WORKS(dualdict_learn_f64(samples64, N, D, options, &hooks, &model, &summary, &e));
  EXPECT(watched == 2 && watched_context == &here);
  EXPECT(n_messages > 0);
  EXPECT(summary.outcome == DUALDICT_STOPPED && summary.n_iterations == 2 && summary.tau > 0);
  dualdict_model_free(model);
  REFUSED(DUALDICT_BAD_USAGE, "interrupt: is NULL", dualdict_interrupt_new(NULL, &e));
  WORKS(dualdict_interrupt_new(&interrupt, &e));
  hooks.on_iteration = NULL;
  hooks.interrupt = interrupt;
  dualdict_interrupt_raise(interrupt);
  REFUSED(DUALDICT_BAD_USAGE, "interrupt", dualdict_learn_f32(samples, N, D, options, &hooks, &model, NULL, &e));
  EXPECT(model == NULL);
  dualdict_interrupt_clear(interrupt);
  WORKS(dualdict_learn_f32(samples, N, D, options, &hooks, &model, NULL, &e));
  dualdict_model_free(model);
  dualdict_interrupt_free(interrupt);
  /* A caller who knows only the first fields of the summary gets no others. */
  memset(&summary, 0x7f, sizeof(summary));
  summary.struct_size = offsetof(dualdict_summary, seconds);
  WORKS(dualdict_learn_f32(samples, N, D, options, NULL, &model, &summary, &e));
  EXPECT(summary.n_iterations > 0 && summary.n_iterations <= 30);
  EXPECT(memcmp(&summary.dead_atoms, "\x7f\x7f\x7f\x7f", 4) == 0);
  dualdict_model_free(model);
  dualdict_options_free(options);
}

static dualdict_model* learned(void) {
  dualdict_options* options = options_for_learning();
  dualdict_model* model = NULL;
  dualdict_summary summary = DUALDICT_SUMMARY_INIT;
  WORKS(dualdict_learn_f32(samples, N, D, options, NULL, &model, &summary, &e));
  EXPECT(summary.energy > 0 && summary.struct_size == sizeof(summary));
  dualdict_options_free(options);
  return model;
}

static void test_model(const dualdict_model* model, const char* path) {
  dualdict_model *kept = NULL, *again = NULL;
  char *bytes = NULL, *more = NULL, *text = NULL;
  size_t n_bytes = 0, n_more = 0;
  EXPECT(dualdict_model_n_atoms(model) == K && dualdict_model_n_features(model) == D);
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_save(NULL, path, &e));
  REFUSED(DUALDICT_BAD_USAGE, "path: is NULL", dualdict_model_save(model, NULL, &e));
  REFUSED(DUALDICT_WRITE_FAILED, "no/such", dualdict_model_save(model, "/no/such/folder/model", &e));
  WORKS(dualdict_model_save(model, path, &e));
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_load(path, NULL, &e));
  REFUSED(DUALDICT_BAD_USAGE, "path: is NULL", dualdict_model_load(NULL, &kept, &e));
  REFUSED(DUALDICT_BAD_INPUT, "/no/such/file", dualdict_model_load("/no/such/file", &kept, &e));
  WORKS(dualdict_model_load(path, &kept, &e));
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_to_bytes(NULL, &bytes, &n_bytes, &e));
  REFUSED(DUALDICT_BAD_USAGE, "bytes: is NULL", dualdict_model_to_bytes(model, NULL, &n_bytes, &e));
  REFUSED(DUALDICT_BAD_USAGE, "n_bytes: is NULL", dualdict_model_to_bytes(model, &bytes, NULL, &e));
  WORKS(dualdict_model_to_bytes(kept, &bytes, &n_bytes, &e));
  REFUSED(DUALDICT_BAD_USAGE, "bytes: is NULL", dualdict_model_from_bytes(NULL, n_bytes, &again, &e));
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_from_bytes(bytes, n_bytes, NULL, &e));
  REFUSED(DUALDICT_BAD_INPUT, "", dualdict_model_from_bytes(bytes, n_bytes - 1, &again, &e));
  REFUSED(DUALDICT_BAD_INPUT, "", dualdict_model_from_bytes(bytes, 0, &again, &e));
  bytes[n_bytes - 9] ^= 1;
  REFUSED(DUALDICT_BAD_INPUT, "", dualdict_model_from_bytes(bytes, n_bytes, &again, &e));
  bytes[n_bytes - 9] ^= 1;
  WORKS(dualdict_model_from_bytes(bytes, n_bytes, &again, &e));
  WORKS(dualdict_model_to_bytes(again, &more, &n_more, &e));
  EXPECT(n_more == n_bytes && memcmp(bytes, more, n_bytes) == 0);
  dualdict_text_free(bytes);
  dualdict_text_free(more);
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_dictionary(NULL, atoms, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "dictionary: is NULL", dualdict_model_dictionary(model, NULL, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "room for 8 x 7", dualdict_model_dictionary(model, atoms, K, D + 1, &e));
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_dual(NULL, filters, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "dual: is NULL", dualdict_model_dual(model, NULL, K, D, &e));
  REFUSED(DUALDICT_BAD_USAGE, "room for 9 x 6", dualdict_model_dual(model, filters, K + 1, D, &e));
  WORKS(dualdict_model_dictionary(again, atoms, K, D, &e));
  WORKS(dualdict_model_dual(again, filters, K, D, &e));
  EXPECT(atoms[0] != 0 && filters[0] != 0);
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_model_describe(NULL, &text, &e));
  REFUSED(DUALDICT_BAD_USAGE, "json: is NULL", dualdict_model_describe(model, NULL, &e));
  WORKS(dualdict_model_describe(model, &text, &e));
  EXPECT(text != NULL && strstr(text, "encoding") != NULL);
  dualdict_text_free(text);
  dualdict_model_free(kept);
  dualdict_model_free(again);
}

static void test_encoder_options(const dualdict_model* model) {
  dualdict_encoder* encoder = NULL;
  dualdict_encode_options how = DUALDICT_ENCODE_OPTIONS_INIT;
  const double nan_number = NAN, negative = -1, three = 3;
  REFUSED(DUALDICT_BAD_USAGE, "model: is NULL", dualdict_encoder_new(NULL, NULL, &encoder, &e));
  REFUSED(DUALDICT_BAD_USAGE, "encoder: is NULL", dualdict_encoder_new(model, NULL, NULL, &e));
  how.struct_size = 0;
  REFUSED(DUALDICT_BAD_USAGE, "options.struct_size", dualdict_encoder_new(model, &how, &encoder, &e));
  how.struct_size = sizeof(how);
  how.mode = "none";
  REFUSED(DUALDICT_BAD_USAGE, "none", dualdict_encoder_new(model, &how, &encoder, &e));
  how.mode = "exact";
  how.tau = &nan_number;
  REFUSED(DUALDICT_BAD_USAGE, "tau", dualdict_encoder_new(model, &how, &encoder, &e));
  how.tau = NULL;
  how.eta = &negative;
  REFUSED(DUALDICT_BAD_USAGE, "eta", dualdict_encoder_new(model, &how, &encoder, &e));
  how.eta = NULL;
  how.gap = &nan_number;
  REFUSED(DUALDICT_BAD_USAGE, "gap", dualdict_encoder_new(model, &how, &encoder, &e));
  how.gap = NULL;
  how.nonzeros = &nan_number;
  REFUSED(DUALDICT_BAD_USAGE, "nonzeros", dualdict_encoder_new(model, &how, &encoder, &e));
  how.nonzeros = &three;
  REFUSED(DUALDICT_BAD_USAGE, "nonzeros", dualdict_encoder_new(model, &how, &encoder, &e));
  how.n_samples = N;
  REFUSED(DUALDICT_BAD_USAGE, "options.samples: is NULL", dualdict_encoder_new(model, &how, &encoder, &e));
  EXPECT(encoder == NULL);
  how.samples = samples;
  WORKS(dualdict_encoder_new(model, &how, &encoder, &e));
  dualdict_encoder_free(encoder);
  /* A caller of a first version that knew the mode alone. */
  how.struct_size = offsetof(dualdict_encode_options, tau);
  how.mode = "linear";
  WORKS(dualdict_encoder_new(model, &how, &encoder, &e));
  dualdict_encoder_free(encoder);
}

/* All three functions on rows of one type: T is its suffix, and the arrays have their names with MORE behind. */
#define TEST_ROWS(T, MORE)                                                                                            \
  do {                                                                                                                \
    REFUSED(DUALDICT_BAD_USAGE, "encoder: is NULL",                                                                   \
            dualdict_encode_##T(NULL, samples##MORE, N, D, codes##MORE, K, &e));                                      \
    REFUSED(DUALDICT_BAD_USAGE, "samples: is NULL", dualdict_encode_##T(encoder, NULL, N, D, codes##MORE, K, &e));    \
    REFUSED(DUALDICT_BAD_USAGE, "codes: is NULL", dualdict_encode_##T(encoder, samples##MORE, N, D, NULL, K, &e));    \
    REFUSED(DUALDICT_BAD_INPUT, "5 features",                                                                         \
            dualdict_encode_##T(encoder, samples##MORE, N, D - 1, codes##MORE, K, &e));                               \
    REFUSED(DUALDICT_BAD_INPUT, "codes: 120 x 7",                                                                     \
            dualdict_encode_##T(encoder, samples##MORE, N, D, codes##MORE, K - 1, &e));                               \
    WORKS(dualdict_encode_##T(encoder, NULL, 0, D, NULL, K, &e));                                                     \
    WORKS(dualdict_encode_##T(encoder, samples##MORE, N, D, codes##MORE, K, &e));                                     \
    REFUSED(DUALDICT_BAD_USAGE, "encoder: is NULL", dualdict_decode_##T(NULL, codes##MORE, N, K, back##MORE, D, &e)); \
    REFUSED(DUALDICT_BAD_USAGE, "codes: is NULL", dualdict_decode_##T(encoder, NULL, N, K, back##MORE, D, &e));       \
    REFUSED(DUALDICT_BAD_USAGE, "samples: is NULL", dualdict_decode_##T(encoder, codes##MORE, N, K, NULL, D, &e));    \
    REFUSED(DUALDICT_BAD_INPUT, "", dualdict_decode_##T(encoder, codes##MORE, N, K - 1, back##MORE, D, &e));          \
    REFUSED(DUALDICT_BAD_INPUT, "", dualdict_decode_##T(encoder, codes##MORE, N, K, back##MORE, D - 1, &e));          \
    WORKS(dualdict_decode_##T(encoder, codes##MORE, N, K, back##MORE, D, &e));                                        \
    REFUSED(DUALDICT_BAD_USAGE, "encoder: is NULL",                                                                   \
            dualdict_score_##T(NULL, samples##MORE, N, D, 1, errors##MORE, &e));                                      \
    REFUSED(DUALDICT_BAD_USAGE, "samples: is NULL", dualdict_score_##T(encoder, NULL, N, D, 1, errors##MORE, &e));    \
    REFUSED(DUALDICT_BAD_USAGE, "errors: is NULL", dualdict_score_##T(encoder, samples##MORE, N, D, 1, NULL, &e));    \
    REFUSED(DUALDICT_BAD_INPUT, "7 features",                                                                         \
            dualdict_score_##T(encoder, samples##MORE, N, D + 1, 1, errors##MORE, &e));                               \
    WORKS(dualdict_score_##T(encoder, samples##MORE, N, D, 0, errors##MORE, &e));                                     \
    samples##MORE[D] = NAN;                                                                                           \
    REFUSED(DUALDICT_BAD_INPUT, "NaN", dualdict_encode_##T(encoder, samples##MORE, N, D, codes##MORE, K, &e));        \
    REFUSED(DUALDICT_BAD_INPUT, "NaN", dualdict_score_##T(encoder, samples##MORE, N, D, 1, errors##MORE, &e));        \
    samples##MORE[D] = 0;                                                                                             \
    codes##MORE[K] = NAN;                                                                                             \
    REFUSED(DUALDICT_BAD_INPUT, "NaN", dualdict_decode_##T(encoder, codes##MORE, N, K, back##MORE, D, &e));           \
    WORKS(dualdict_encode_##T(encoder, samples##MORE, N, D, codes##MORE, K, &e));                                     \
    WORKS(dualdict_score_##T(encoder, samples##MORE, N, D, 0, errors##MORE, &e));                                     \
    WORKS(dualdict_decode_##T(encoder, codes##MORE, N, K, back##MORE, D, &e));                                        \
  } while (0)

static void test_rows(dualdict_model* model) {
  dualdict_encoder* encoder = NULL;
  double difference = 0, norm = 0, square;
  int i;
  WORKS(dualdict_encoder_new(model, NULL, &encoder, &e));
  dualdict_model_free(model); /* the encoder keeps what it needs */
  TEST_ROWS(f32, );
  TEST_ROWS(f64, 64);
  /* Both work in the model's precision, and the score is what decoding leaves. */
  for (i = 0; i < N * K; ++i) EXPECT(codes[i] == (float)codes64[i]);
  for (i = 0; i < D; ++i) {
    square = (double)samples[i] - back[i];
    difference += square * square;
    norm += (double)samples[i] * samples[i];
  }
  EXPECT(norm > 0 && fabs(sqrt(difference) - errors[0]) < 1e-5);
  dualdict_encoder_free(encoder);
}

int main(int argc, char** argv) {
  dualdict_model* model;
  if (argc != 2) {
    fprintf(stderr, "usage: %s MODEL_FILE_TO_WRITE\n", argv[0]);
    return 2;
  }
  make_samples();
  test_frees_and_getters_take_null();
  test_options();
  test_learn_refuses();
  test_hooks();
  model = learned();
  test_model(model, argv[1]);
  test_encoder_options(model);
  test_rows(model); /* frees the model */
  if (n_failed == 0) printf("the C interface keeps its word\n");
  return n_failed == 0 ? 0 : 1;
}
