/** What an integrity check found. */
export interface IntegrityReport {
  readonly ok: boolean;
  /** `"ok"`, or what is wrong, one finding a line. */
  readonly detail: string;
}
