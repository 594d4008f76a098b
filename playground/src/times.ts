// SPDX-License-Identifier: Apache-2.0
// Times as a file spells them: whole nanoseconds, or text with a unit.

const nanoseconds: Record<string, bigint> = { ns: 1n, us: 1_000n, ms: 1_000_000n, s: 1_000_000_000n };
const significant_digits = 4;

interface Spelt {
  value: bigint;
  unit: string | null; // null: a number
}

/// What a JSON token says; null if it is no time.
export function read_time(token: string): Spelt | null {
  if (/^\d+$/.test(token)) {
    return { value: BigInt(token), unit: null };
  }
  const parts = /^"(\d+)(?:\.(\d+))?(ns|us|ms|s)"$/.exec(token);
  if (parts === null) {
    return null;
  }
  const unit = parts[3]!;
  const scale = nanoseconds[unit]!;
  const fraction = parts[2] ?? "";
  const part = (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length);
  return { value: BigInt(parts[1]!) * scale + part, unit };
}

/// The token times a factor, in its own unit and with four significant digits. Never 0 unless it was.
export function scale_time(token: string, factor: number): string {
  const read = read_time(token);
  if (read === null || factor === 1 || read.value === 0n) {
    return token;
  }
  const scaled = Number((Number(read.value) * factor).toPrecision(significant_digits));
  const least = BigInt(Math.max(1, Math.round(scaled)));
  return write_time(least, read.unit);
}

function write_time(value: bigint, unit: string | null): string {
  return unit === null ? value.toString() : `"${decimal(value, nanoseconds[unit]!)}${unit}"`;
}

function decimal(value: bigint, scale: bigint): string {
  const digits = scale.toString().length - 1;
  const fraction = (value % scale).toString().padStart(digits, "0").replace(/0+$/, "");
  return (value / scale).toString() + (digits > 0 && fraction !== "" ? `.${fraction}` : "");
}

/// For reading: the largest unit in which it is at least 1.
export function show_time(value: number): string {
  const unit = value >= 1e9 ? "s" : value >= 1e6 ? "ms" : value >= 1e3 ? "us" : "ns";
  return `${decimal(BigInt(Math.round(value)), nanoseconds[unit]!)} ${unit}`;
}

export function show_milliseconds(value: number): string {
  return (value / 1e6).toFixed(3);
}

export function show_percent(permille: number): string {
  return `${permille > 0 ? "+" : ""}${(permille / 10).toFixed(1)} %`;
}

export function show_factor(permille: number): string {
  return (permille / 1000).toFixed(3);
}
