import type { SubjectSummary } from "../../bench-report.ts";

/** How a store looks in every plot: the hue of its plain store, and a dash and a mark of its own. */
export interface SubjectStyle {
  /** From 0; a class `hue-0` of the page's style. */
  readonly hue: number;
  /** From 0, which most plain stores have; a class `variant-0`. */
  readonly variant: number;
}

/** Hues that can be told apart with any kind of colour vision; the style has as many. */
export const hues = 6;
/** Dashes and marks that can be told apart. */
const variants = 4;

/** The look of each store. Stores that differ by the codec alone share a hue, so it tells families. */
export function subjectStyles(
  subjects: readonly SubjectSummary[],
): ReadonlyMap<string, SubjectStyle> {
  const families = new Map<string, number>();
  const members = new Map<string, number>();
  const styles = subjects.map(({ name, plain }): [string, SubjectStyle] => {
    const family = plain ?? name;
    const hue = families.get(family) ?? families.size;
    families.set(family, hue);
    const member = plain === null ? 0 : (members.get(family) ?? 0) + 1;
    if (plain !== null) members.set(family, member);
    // A family that has to share its hue with another begins with another mark.
    const first = Math.floor(hue / hues) * (variants / 2);
    return [name, { hue: hue % hues, variant: (first + member) % variants }];
  });
  return new Map(styles);
}

/** The classes that give it to an element. */
export function styleClass(style: SubjectStyle | undefined): string {
  return `hue-${style?.hue ?? 0} variant-${style?.variant ?? 0}`;
}
