import type { ReportedResult } from "./findings.ts";

/** Options of the reports that people read. */
export interface ReportOptions {
  /** How `ckpt certify` names the store, as words of a shell: `./redis.js`. Default: the store's name. */
  readonly fixture?: string | undefined;
}

/** The command that runs one property again, from where it failed. */
export function replayCommand(fixture: string, result: ReportedResult, effort: number): string {
  const { id, seed, replay } = result;
  const words = ["ckpt", "certify", fixture, "--property", id, "--seed", String(seed)];
  if (effort !== 1) words.push("--effort", String(effort));
  if (replay !== null) words.push("--path", shellWord(replay.path));
  if (replay?.replayPath !== undefined) words.push("--replay-path", shellWord(replay.replayPath));
  return words.join(" ");
}

/** A word as POSIX shells take it literally. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
