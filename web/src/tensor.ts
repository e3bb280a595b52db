// One recorded tensor, exact for every dtype: integers as BigInt, complex whole. The twin of src/cutaway/tensor.py.

import type { Cell } from "./number.ts";

const SIZES: Record<string, number> = {
  bool: 1, uint8: 1, int8: 1, uint16: 2, int16: 2, uint32: 4, int32: 4, uint64: 8, int64: 8,
  float16: 2, bfloat16: 2, float32: 4, float64: 8, float8_e4m3fn: 1, float8_e5m2: 1, complex64: 8, complex128: 16,
};

/** A tensor's content in C order, little-endian, read one element at a time. */
export class Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly #data: DataView;

  constructor(dtype: string, shape: readonly number[], data: DataView) {
    if (!SIZES[dtype]) throw new Error(`dtype ${dtype} is not known`);
    if (data.byteLength !== SIZES[dtype] * product(shape)) throw new Error(`a ${dtype} tensor has the wrong size`);
    this.dtype = dtype;
    this.shape = shape;
    this.#data = data;
  }

  get count(): number {
    return product(this.shape);
  }

  /** The element at a flat index, exactly: a bigint for every integer dtype. */
  at(index: number): Cell {
    const data = this.#data;
    switch (this.dtype) {
      case "bool": return data.getUint8(index) !== 0;
      case "uint8": return BigInt(data.getUint8(index));
      case "int8": return BigInt(data.getInt8(index));
      case "uint16": return BigInt(data.getUint16(2 * index, true));
      case "int16": return BigInt(data.getInt16(2 * index, true));
      case "uint32": return BigInt(data.getUint32(4 * index, true));
      case "int32": return BigInt(data.getInt32(4 * index, true));
      case "uint64": return data.getBigUint64(8 * index, true);
      case "int64": return data.getBigInt64(8 * index, true);
      case "float16": return small(data.getUint16(2 * index, true), 5, 10);
      case "bfloat16": return small(data.getUint16(2 * index, true), 8, 7);
      case "float8_e4m3fn": return small(data.getUint8(index), 4, 3, true);
      case "float8_e5m2": return small(data.getUint8(index), 5, 2);
      case "float32": return data.getFloat32(4 * index, true);
      case "complex64": return { re: data.getFloat32(8 * index, true), im: data.getFloat32(8 * index + 4, true) };
      case "complex128": return { re: data.getFloat64(16 * index, true), im: data.getFloat64(16 * index + 8, true) };
      default: return data.getFloat64(8 * index, true);
    }
  }

  /** Elements from `start`, as many as `count`. */
  cells(start = 0, count = this.count): Cell[] {
    return Array.from({ length: count }, (_, i) => this.at(start + i));
  }
}

/** A cell as one number: bools as 0 and 1, complex numbers by magnitude, large integers rounded. For colour and order. */
export function size(cell: Cell): number {
  return typeof cell === "object" ? Math.hypot(cell.re, cell.im) : Number(cell);
}

export function product(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** A binary float below 32 bits; `finite` for the form that spends its top exponent on numbers and has one NaN. */
function small(code: number, exponentBits: number, mantissaBits: number, finite = false): number {
  const top = 2 ** exponentBits - 1;
  const bias = 2 ** (exponentBits - 1) - 1;
  const ones = 2 ** mantissaBits - 1;
  const exponent = (code >> mantissaBits) & top;
  const mantissa = code & ones;
  const sign = code >> (exponentBits + mantissaBits) ? -1 : 1;
  if (exponent === top && finite && mantissa === ones) return NaN;
  if (exponent === top && !finite) return mantissa ? NaN : sign * Infinity;
  if (exponent === 0) return sign * mantissa * 2 ** (1 - bias - mantissaBits);
  return sign * (2 ** mantissaBits + mantissa) * 2 ** (exponent - bias - mantissaBits);
}

const STORED: Record<string, string> = {
  BOOL: "bool", U8: "uint8", I8: "int8", U16: "uint16", I16: "int16", U32: "uint32", I32: "int32", U64: "uint64",
  I64: "int64", F16: "float16", BF16: "bfloat16", F32: "float32", F64: "float64", F8_E4M3: "float8_e4m3fn",
  F8_E5M2: "float8_e5m2",
};

/** Where each entry of a safetensors file lies: an 8-byte length, a JSON header, then the data. */
export interface Entry {
  dtype: string;
  shape: number[];
  data: DataView;
}

export function readSafetensors(bytes: ArrayBuffer): Map<string, Entry> {
  const length = Number(new DataView(bytes).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const entries = new Map<string, Entry>();
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const [start, end] = data_offsets;
    entries.set(name, { dtype: STORED[dtype] ?? dtype, shape, data: new DataView(bytes, 8 + length + start, end - start) });
  }
  return entries;
}
