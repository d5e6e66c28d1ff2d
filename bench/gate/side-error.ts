/** A side that cannot be measured: not there, broken, or silent. */
export class SideError extends Error {
  /** @param side - what the command line calls it */
  constructor(side: string, message: string) {
    super(`The ${side} side is unusable: ${message}`);
    this.name = "SideError";
  }
}
