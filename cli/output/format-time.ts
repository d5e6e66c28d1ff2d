/** A moment as people read it, in UTC to the second: `2026-11-30 06:22:01Z`. */
export function formatTime(moment: number | string): string {
  const time = isoTime(moment);
  return time === null ? "-" : `${time.slice(0, 19).replace("T", " ")}Z`;
}

/** A moment in ISO 8601, or null for what is none: a damaged store may hold anything. */
export function isoTime(moment: number | string): string | null {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** How long ago a moment was: `3 minutes ago`. */
export function formatAge(moment: number, now: number): string {
  for (const [unit, size] of units) {
    const count = Math.floor((now - moment) / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
