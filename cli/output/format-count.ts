/** `8,041 records`, `1 record`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** A size as people read it: `838.1 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const names = ["kB", "MB", "GB", "TB"];
  let value = bytes;
  let index = -1;
  do {
    value /= 1000;
    index += 1;
  } while (value >= 999.95 && index < names.length - 1);
  return `${value.toFixed(1)} ${names[index] ?? ""}`;
}
