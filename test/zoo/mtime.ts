/** A clock whose times differ, also inside one millisecond. */
export function createMtime(): () => number {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1 / 1_024);
    return last;
  };
}
