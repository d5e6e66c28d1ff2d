/** Where a chat's lines come from. */
export interface ChatLines {
  /**
   * The next line, null at the end.
   *
   * @throws Interruption when the person leaves with Ctrl-C
   */
  next(): Promise<string | null>;
  /**
   * Runs what a line asked for.
   *
   * @param work - gets a signal that Ctrl-C aborts
   * @throws Interruption when the person leaves instead of waiting for the end
   */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives the terminal back. Idempotent. */
  close(): void;
}
