import type { Interval, Spread } from "../bench-report.ts";

/** What stands where there is no number. */
export const dash = "—";

const units = [
  ["ns", 1e-6],
  ["µs", 1e-3],
  ["ms", 1],
  ["s", 1e3],
] as const;

/** A time that is given in milliseconds, with three digits that count: `25.3 µs`, `842 ms`. */
export function formatTime(milliseconds: number | null): string {
  if (milliseconds === null || !Number.isFinite(milliseconds)) return dash;
  // The first unit in which at most three digits stand before the point, also after rounding.
  const [unit, size] = units.find(([, one]) => Math.abs(milliseconds) < 999.5 * one) ?? units[3];
  return `${digits(milliseconds / size, 3)} ${unit}`;
}

/** `24.1 µs to 27.3 µs` */
export function formatSpread({ least, most }: Pick<Spread, "least" | "most">): string {
  const [from, to] = [formatTime(least), formatTime(most)];
  return from === dash || to === dash ? dash : `${from} to ${to}`;
}

/** A formatted number at an axis, where trailing zeros only take room: `1 ms`, `1.5 kB`. */
export function formatTick(formatted: string): string {
  return formatted.replace(/\.(\d*?)0+(?= )/, (_, kept: string) => (kept === "" ? "" : `.${kept}`));
}

/** A ratio without its sign: `0.97`, `12.4`, `2,370`, `0.0042`. */
export function formatRatio(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return dash;
  return Math.abs(ratio) >= 0.1 || ratio === 0 ? digits(ratio, 3, 2) : ratio.toPrecision(2);
}

/** `0.97 ×` */
export function formatTimes(ratio: number | null): string {
  const text = formatRatio(ratio);
  return text === dash ? dash : `${text} ×`;
}

/** Where a ratio lies: `0.87 to 1.06`. */
export function formatInterval(interval: Pick<Interval, "low" | "high"> | null): string {
  if (interval === null) return dash;
  const [low, high] = [formatRatio(interval.low), formatRatio(interval.high)];
  return low === dash || high === dash ? dash : `${low} to ${high}`;
}

/** A size in units of a thousand: `812 B`, `41.3 kB`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null || !Number.isFinite(bytes)) return dash;
  if (Math.abs(bytes) < 999.5) return `${formatCount(Math.round(bytes))} B`;
  const names = ["kB", "MB", "GB", "TB"];
  const size = names.findIndex((_, index) => Math.abs(bytes) < 999.5 * 1_000 ** (index + 1));
  const power = size < 0 ? names.length : size + 1;
  return `${digits(bytes / 1_000 ** power, 3)} ${names[power - 1] ?? ""}`;
}

/** A number of things, whole or on average: `10,000`, `1.02`, `0.0042`. */
export function formatCount(count: number | null): string {
  if (count === null || !Number.isFinite(count)) return dash;
  const small = Math.abs(count) < 0.1;
  return count.toLocaleString("en-US", small ? { maximumSignificantDigits: 2 } : twoDecimals);
}

const twoDecimals: Intl.NumberFormatOptions = { maximumFractionDigits: 2 };

/** What was measured, or counted on average: whole numbers as they are, others with three digits. */
export function formatAmount(amount: number): string {
  return Number.isInteger(amount) ? formatCount(amount) : formatRatio(amount);
}

/** A number of things at an axis: `10K`, `1M`. */
export function formatCompact(count: number): string {
  return count.toLocaleString("en-US", { notation: "compact" });
}

/** A percentile as people call it: `p99.9`; 100 is the `most`. */
export function formatPercentile(percentile: number): string {
  return percentile === 100 ? "most" : `p${percentile}`;
}

/** `2026-11-30 13:05 UTC`; a text that is no moment stays what it is. */
export function formatMoment(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** With `significant` digits, but never fewer than those before the point. */
function digits(value: number, significant: number, most: number = significant - 1): string {
  // Rounding first: 9.996 has one digit before the point, and what it is printed as has two.
  const before = Math.abs(Number(value.toPrecision(significant)));
  const whole = before < 1 ? 1 : Math.floor(Math.log10(before)) + 1;
  const decimals = Math.min(most, Math.max(0, significant - whole));
  return value.toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
