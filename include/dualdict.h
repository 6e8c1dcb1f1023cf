/* SPDX-License-Identifier: BSD-3-Clause */
/* dualdict for C99, and for every language that calls C: learn a dictionary and its dual, encode, decode, score.

   Rules that hold for all of it:
   - A function that can fail returns a dualdict_status. When it is not DUALDICT_OK nothing was made, and if `error` is
     not NULL, *error is a new object that says why; on success *error becomes NULL.
   - A NULL where a thing is needed is an error too, never a crash. Every _free takes NULL.
   - A matrix lies row by row without gaps: a row is a sample, a code or an atom. Its sizes are checked.
   - A struct begins with its own size, which the DUALDICT_..._INIT macros fill in: a program keeps working with a later
     library whose structs have more fields.
   - Handles may be used from many threads at once, but for options being changed and anything being freed. */
#ifndef DUALDICT_H
#define DUALDICT_H

#include <stddef.h>

#include "dualdict/export.h"
#include "dualdict/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The values are those of the command's exit codes. */
typedef enum dualdict_status {
  DUALDICT_OK = 0,
  DUALDICT_UNEXPECTED = 1,   /* a fault of the library: please report it */
  DUALDICT_BAD_USAGE = 2,    /* an argument or option breaks its rule */
  DUALDICT_BAD_INPUT = 3,    /* a file or matrix cannot be used: missing, damaged, NaN, wrong shape */
  DUALDICT_BAD_NUMBERS = 4,  /* a computation left the range of its numbers */
  DUALDICT_WRITE_FAILED = 5, /* a result could not be written; what was there before is whole */
  DUALDICT_OUT_OF_MEMORY = 6,
  DUALDICT_RANK_LOST = 7 /* another process of the job is gone */
} dualdict_status;

typedef struct dualdict_error dualdict_error;
typedef struct dualdict_options dualdict_options;
typedef struct dualdict_interrupt dualdict_interrupt;
typedef struct dualdict_model dualdict_model;
typedef struct dualdict_encoder dualdict_encoder;

/* The version of the library that runs, as DUALDICT_VERSION is that of the header that was compiled. */
DUALDICT_API const char* dualdict_version(void);

/* One sentence that names the thing, its value and the rule; lives as long as the error. Of NULL: "". */
DUALDICT_API const char* dualdict_error_message(const dualdict_error* error);
DUALDICT_API dualdict_status dualdict_error_status(const dualdict_error* error);
DUALDICT_API void dualdict_error_free(dualdict_error* error);

/* Texts and bytes that a function below made. */
DUALDICT_API void dualdict_text_free(char* text);

/* Options of learning, by the names of `dualdict options` ("atoms", "nonzeros", "seed", ...), with values as text; and
   the preprocessing that becomes part of the model: "scale" (a number > 0), "center-samples", "center-features" and
   "unit-norm" ("true" or "false"). */
DUALDICT_API dualdict_status dualdict_options_new(dualdict_options** options, dualdict_error** error);
DUALDICT_API dualdict_status dualdict_options_set(dualdict_options* options, const char* name, const char* value,
                                                  dualdict_error** error);
/* The value in use: what was set, else the default; "" when there is none. Free it with dualdict_text_free. */
DUALDICT_API dualdict_status dualdict_options_get(const dualdict_options* options, const char* name, char** value,
                                                  dualdict_error** error);
/* The first dictionary, n_atoms x n_features, which is copied; and the first dual, of the same size, or NULL. */
DUALDICT_API dualdict_status dualdict_options_start(dualdict_options* options, const double* dictionary,
                                                    const double* dual, size_t n_atoms, size_t n_features,
                                                    dualdict_error** error);
DUALDICT_API void dualdict_options_free(dualdict_options* options);

/* Every option as one JSON array: name, symbol, default, rule, help. Free it with dualdict_text_free. */
DUALDICT_API dualdict_status dualdict_describe_options(char** json, dualdict_error** error);

/* A flag that ends a fit. _raise may be called from another thread or a signal handler. */
DUALDICT_API dualdict_status dualdict_interrupt_new(dualdict_interrupt** interrupt, dualdict_error** error);
DUALDICT_API void dualdict_interrupt_raise(dualdict_interrupt* interrupt);
DUALDICT_API void dualdict_interrupt_clear(dualdict_interrupt* interrupt);
DUALDICT_API void dualdict_interrupt_free(dualdict_interrupt* interrupt);

/* One iteration of a fit, as the library hands it out: it may have more fields than this header knows. */
typedef struct dualdict_iteration {
  size_t struct_size;
  size_t iteration; /* from 1 */
  double seconds;   /* since the start */
  double energy;    /* E after the iteration */
  double relative_change;
  double tau;
  double nonzeros_per_code;
  double duality_gap;
  size_t dead_atoms;
  size_t replaced_atoms;
} dualdict_iteration;

typedef struct dualdict_hooks {
  size_t struct_size;
  void* context; /* handed to both functions, which may be NULL */
  /* After every iteration, on the thread that called; a result other than 0 ends the fit. Must not throw or jump. */
  int (*on_iteration)(const dualdict_iteration* record, void* context);
  void (*on_message)(const char* text, void* context);
  const dualdict_interrupt* interrupt; /* or NULL */
} dualdict_hooks;
#define DUALDICT_HOOKS_INIT \
  { sizeof(dualdict_hooks), NULL, NULL, NULL, NULL }

typedef enum dualdict_outcome {
  DUALDICT_CONVERGED = 0,
  DUALDICT_ITERATION_LIMIT = 1,
  DUALDICT_TIME_LIMIT = 2,
  DUALDICT_STOPPED = 3, /* on_iteration said so */
  DUALDICT_INTERRUPTED = 4,
  DUALDICT_TRIVIAL = 5 /* all codes are zero: tau is too large */
} dualdict_outcome;

/* How a fit ended; dualdict_model_describe has all of it. */
typedef struct dualdict_summary {
  size_t struct_size;
  dualdict_outcome outcome;
  size_t n_iterations;
  double seconds;
  double energy; /* E of the model with the exact codes of all samples */
  double tau;
  double nonzeros_per_code;
  double duality_gap;
  size_t dead_atoms; /* SIZE_MAX: interrupted before they were counted */
} dualdict_summary;
#define DUALDICT_SUMMARY_INIT \
  { sizeof(dualdict_summary), DUALDICT_CONVERGED, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0 }

/* `hooks` and `summary` may be NULL. The samples are not copied where that can be avoided, and not changed. */
DUALDICT_API dualdict_status dualdict_learn_f32(const float* samples, size_t n_samples, size_t n_features,
                                                const dualdict_options* options, const dualdict_hooks* hooks,
                                                dualdict_model** model, dualdict_summary* summary,
                                                dualdict_error** error);
DUALDICT_API dualdict_status dualdict_learn_f64(const double* samples, size_t n_samples, size_t n_features,
                                                const dualdict_options* options, const dualdict_hooks* hooks,
                                                dualdict_model** model, dualdict_summary* summary,
                                                dualdict_error** error);

DUALDICT_API dualdict_status dualdict_model_load(const char* path, dualdict_model** model, dualdict_error** error);
DUALDICT_API dualdict_status dualdict_model_save(const dualdict_model* model, const char* path, dualdict_error** error);
/* The bytes of a model file, and back. Free them with dualdict_text_free. */
DUALDICT_API dualdict_status dualdict_model_to_bytes(const dualdict_model* model, char** bytes, size_t* n_bytes,
                                                     dualdict_error** error);
DUALDICT_API dualdict_status dualdict_model_from_bytes(const char* bytes, size_t n_bytes, dualdict_model** model,
                                                       dualdict_error** error);
/* 0 for NULL. */
DUALDICT_API size_t dualdict_model_n_atoms(const dualdict_model* model);
DUALDICT_API size_t dualdict_model_n_features(const dualdict_model* model);
/* The atoms and the filters, n_atoms x n_features each. */
DUALDICT_API dualdict_status dualdict_model_dictionary(const dualdict_model* model, double* dictionary, size_t n_atoms,
                                                       size_t n_features, dualdict_error** error);
DUALDICT_API dualdict_status dualdict_model_dual(const dualdict_model* model, double* dual, size_t n_atoms,
                                                 size_t n_features, dualdict_error** error);
/* What `dualdict info --json` prints. Free it with dualdict_text_free. */
DUALDICT_API dualdict_status dualdict_model_describe(const dualdict_model* model, char** json, dualdict_error** error);
DUALDICT_API void dualdict_model_free(dualdict_model* model);

typedef struct dualdict_encode_options {
  size_t struct_size;
  const char* mode;       /* "linear", "sparse", "corrected", "refine:3", "exact", ...; NULL: "sparse" */
  const double* tau;      /* NULL: the model's */
  const double* nonzeros; /* instead of tau: wanted nonzeros per code on average; NULL: none */
  const double* eta;      /* NULL: the model's */
  const double* gap;      /* relative duality gap of exact codes; NULL: 1e-6 */
  int debias;             /* least squares on the support of the code: 1 yes, -1 no, 0 as the mode does by default */
  size_t n_threads;       /* 0: all that this process may use */
  /* Raw samples of the model's features, for `nonzeros` in a mode that finds its tau on them; else NULL and 0. */
  const float* samples;
  size_t n_samples;
} dualdict_encode_options;
#define DUALDICT_ENCODE_OPTIONS_INIT \
  { sizeof(dualdict_encode_options), NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0 }

/* A model made ready to encode in one mode; `options` may be NULL. The model may be freed before it. */
DUALDICT_API dualdict_status dualdict_encoder_new(const dualdict_model* model, const dualdict_encode_options* options,
                                                  dualdict_encoder** encoder, dualdict_error** error);
DUALDICT_API void dualdict_encoder_free(dualdict_encoder* encoder);
/* samples: n x n_features, codes: n x n_atoms. A sample's code has the same bits alone and in any batch. */
DUALDICT_API dualdict_status dualdict_encode_f32(const dualdict_encoder* encoder, const float* samples, size_t n,
                                                 size_t n_features, float* codes, size_t n_atoms,
                                                 dualdict_error** error);
DUALDICT_API dualdict_status dualdict_encode_f64(const dualdict_encoder* encoder, const double* samples, size_t n,
                                                 size_t n_features, double* codes, size_t n_atoms,
                                                 dualdict_error** error);
/* Codes that this encoder made, back into samples. */
DUALDICT_API dualdict_status dualdict_decode_f32(const dualdict_encoder* encoder, const float* codes, size_t n,
                                                 size_t n_atoms, float* samples, size_t n_features,
                                                 dualdict_error** error);
DUALDICT_API dualdict_status dualdict_decode_f64(const dualdict_encoder* encoder, const double* codes, size_t n,
                                                 size_t n_atoms, double* samples, size_t n_features,
                                                 dualdict_error** error);
/* |x - decoded code| of each of the n samples; `relative` not 0: divided by |x|. */
DUALDICT_API dualdict_status dualdict_score_f32(const dualdict_encoder* encoder, const float* samples, size_t n,
                                                size_t n_features, int relative, double* errors,
                                                dualdict_error** error);
DUALDICT_API dualdict_status dualdict_score_f64(const dualdict_encoder* encoder, const double* samples, size_t n,
                                                size_t n_features, int relative, double* errors,
                                                dualdict_error** error);

#ifdef __cplusplus
}
#endif
#endif /* DUALDICT_H */
