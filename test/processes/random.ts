/** A whole number from 0 to `limit` - 1. */
export function below(random: () => number, limit: number): number {
  return Math.floor(random() * limit);
}
