// SPDX-License-Identifier: BSD-3-Clause
// What the page knows: the document that src/report/report_data.cc writes, and its tensors.

export interface Energy {
  total: number;
  reconstruction: number;
  coding: number;
  l1: number;
  l2: number;
  l0?: number;  // not in models of earlier versions
}

export interface EncodingRow {
  mode: string;
  code_error: number | null;
  energy_excess: number | null;
  reconstruction_error: number | null;
  dictionary_reconstruction_error: number | null;
  debiased_reconstruction_error: number | null;
  nonzeros: number | null;
  support_overlap: number | null;
  samples_per_second: number | null;
  worst_error: number | null;
  pca_error: number | null;
}

export interface ModelDocument {
  version: string;
  shape: { n_atoms: number; n_features: number; sample_height: number; sample_width: number; sample_channels?: number };
  dtype: string;
  tau: number;
  eta: number;
  mu: number;
  positive_codes: boolean;
  mean_norm: number;
  transform: { scale: number; center_features: boolean; center_samples: boolean; unit_norm: boolean };
  options_given: Record<string, unknown>;
  options_used: Record<string, unknown>;
  data: { name: string; fingerprint: string; n_samples: number; n_features: number };
  outcome: {
    name: string;
    message: string;
    iterations: number;
    seconds: number;
    energy: Energy;
    nonzeros_per_code: number;
    duality_gap: number;
    max_kkt_residual: number;
    tau: number;
    tau_max: number;
    coding_weight: number;
    threshold: number;
    replaced_atoms: number;
    dead_atoms: number | null;
  };
  encoding: { n_fit: number; n_measured: number; held_out: boolean; unseen: boolean; rows: EncodingRow[] };
  usage: number[];
}

// A column for each number of a record of the trace, the terms of the energy among them.
export type TraceColumn =
  | "iteration" | "seconds" | "total" | "reconstruction" | "coding" | "l1" | "l2" | "l0" | "extrapolated"
  | "energy_before_codes" | "energy_after_codes" | "energy_after_dictionary" | "tau" | "tau_moved" | "relative_change"
  | "nonzeros_per_code" | "dead_atoms" | "replaced_atoms" | "duality_gap" | "dictionary_change" | "dual_change" | "accurate";

export interface SparseCode {
  atoms: number[];
  weights: number[];
}

export interface DataDocument {
  name: string;
  n_samples: number;
  n_coded: number;
  smallest: number;
  largest: number;
  usage: number[];
  exact_histogram: number[];
  sparse_histogram: number[];
  gallery: { names: string[]; rows: number[]; codes: SparseCode[] };
  users: [number, number][][];
  uses: { samples: number[]; weights: number[] }[];  // strongest first; samples count the coded ones
  names: string[];                                    // of the coded samples
  labels: string[];                                   // their classes, where given
  picture_samples: number[];                          // which coded sample each picture shows
}

export interface FittedNumbers {
  gain: number[];
  threshold: number[];
  growth: number[];
  bias: number[];
  level?: number;  // the threshold of hard codes, the price of greedy ones
}

export interface Report {
  title: string;
  model: ModelDocument;
  feature_means: number[];
  offset: number[];  // subtracted from prepared samples before they are coded; empty: none
  feature_names: string[];
  atoms: { norm: number[]; dual_norm: number[]; agreement: number[]; coherence: number[]; nearest: number[] };
  frame: {
    coherence: number;
    mean_coherence: number;
    welch_bound: number;
    bounds: { rank: number; lower: number; upper: number; distance: number } | null;
  };
  trace: Record<TraceColumn, number[]> | null;
  data: DataDocument | null;
  encoders: Partial<Record<"sparse" | "corrected" | "hard" | "greedy", FittedNumbers>>;
  encoders_left_out: string[];
  tensors: Record<string, { type: "float32" | "uint8"; rows: number; cols: number }>;
}

// A row-major matrix.
export interface Table<T extends Float32Array | Uint8Array> {
  rows: number;
  cols: number;
  values: T;
  row(i: number): T;
}

function bytesOf(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function readReport(): Report {
  return JSON.parse(document.getElementById("report")!.textContent!) as Report;
}

// Decoded when first asked for. Null for a tensor that the report has not, or whose text has not arrived yet.
export class Tensors {
  private readonly known = new Map<string, Table<Float32Array | Uint8Array>>();

  constructor(private readonly report: Report) {}

  private find(name: string): Table<Float32Array | Uint8Array> | null {
    const known = this.known.get(name);
    if (known) return known;
    const info = this.report.tensors[name];
    const element = document.getElementById(`tensor-${name}`);
    if (!info || !element) return null;
    const bytes = bytesOf(element.textContent!);
    const { rows, cols } = info;
    const values = info.type === "uint8" ? bytes : new Float32Array(bytes.buffer, 0, rows * cols);
    const table = { rows, cols, values, row: (i: number) => values.subarray(i * cols, (i + 1) * cols) };
    this.known.set(name, table);
    element.textContent = "";
    return table;
  }

  floats(name: string): Table<Float32Array> | null {
    return this.find(name) as Table<Float32Array> | null;
  }
  bytes(name: string): Table<Uint8Array> | null {
    return this.find(name) as Table<Uint8Array> | null;
  }
}
