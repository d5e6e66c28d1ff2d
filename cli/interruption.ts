/** The abort reason of a run that a signal ended. Nothing is printed for it. */
export class Interruption extends Error {
  readonly exitCode: number;

  constructor(signalName: string, exitCode: number) {
    super(`Interrupted by ${signalName}`);
    this.name = "Interruption";
    this.exitCode = exitCode;
  }
}
