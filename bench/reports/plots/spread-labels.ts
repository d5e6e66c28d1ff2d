/**
 * Places for labels that want to stand at `wanted`: in that order, at least `gap` apart, none below
 * `low`, and none above `high` as long as they fit there.
 */
export function spreadLabels(
  wanted: readonly number[],
  gap: number,
  low: number,
  high: number,
): readonly number[] {
  const order = wanted.map((place, index) => ({ place, index }));
  order.sort((left, right) => left.place - right.place);
  const places: number[] = [];
  // From below, each pushes the next one up; then from above, what ran out of room pushes back.
  for (const { place } of order) places.push(Math.max(place, (places.at(-1) ?? low - gap) + gap));
  for (let index = places.length - 1; index >= 0; index -= 1) {
    const room = (places[index + 1] ?? high + gap) - gap;
    places[index] = Math.max(low + index * gap, Math.min(places[index] ?? room, room));
  }
  const spread: number[] = [];
  for (const [rank, { index }] of order.entries()) spread[index] = places[rank] ?? low;
  return spread;
}
