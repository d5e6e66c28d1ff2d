/** Sets the wall clock of this process, as far as JavaScript reads it, ahead or behind. */
export function skewClock(milliseconds: number): void {
  const real = Date;
  const now = (): number => real.now() + milliseconds;
  globalThis.Date = new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new real(now()).toString(),
    get: (target, key) => (key === "now" ? now : (Reflect.get(target, key) as unknown)),
  });
}
