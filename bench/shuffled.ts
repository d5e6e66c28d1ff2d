/** The same items in an order that `random` decides. */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
