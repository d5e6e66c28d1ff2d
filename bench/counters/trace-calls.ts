import { spawnSync } from "node:child_process";
import process from "node:process";
import { markPrefix } from "../processes/messages.ts";

/** Calls that change what is on a disk, and those that ask for a name, with which a trace is cut. */
const traced = (
  "write pwrite64 writev pwritev pwritev2 fsync fdatasync sync_file_range rename renameat renameat2 " +
  "unlink unlinkat link linkat mkdir mkdirat rmdir ftruncate fallocate utimensat open openat access " +
  "faccessat faccessat2"
).split(" ");

/** The command that traces one, into a file; see strace(1). */
export function traceCommand(file: string): readonly string[] {
  // A question mark: some of these calls exist on some processors only.
  const calls = traced.map((name) => `?${name}`).join(",");
  return ["strace", "-f", "-qq", "-y", "-s", "80", "-e", `trace=${calls}`, "-o", file];
}

/** Why system calls cannot be traced here; null when they can. */
export function traceRefusal(): string | null {
  if (process.platform !== "linux") return "strace is for Linux";
  const { error, status } = spawnSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" });
  if (error !== undefined) return "strace is not installed";
  return status === 0 ? null : "strace may not trace here";
}

/** What was done to the files of a folder between two marks. */
export interface TracedCalls {
  readonly syncs: number;
  readonly writes: number;
  readonly writtenBytes: number;
  readonly others: number;
}

/** Cuts a trace at its marks; by the name of the mark that a part begins with. */
export function readTrace(text: string, directory: string): ReadonlyMap<string, TracedCalls> {
  const parts = new Map<string, TracedCalls>();
  let name: string | undefined;
  for (const line of joined(text)) {
    const mark = line.indexOf(markPrefix);
    if (mark >= 0) {
      name = line.slice(mark + markPrefix.length).split('"')[0] ?? "";
      parts.set(name, { syncs: 0, writes: 0, writtenBytes: 0, others: 0 });
      continue;
    }
    const part = name === undefined ? undefined : parts.get(name);
    if (name !== undefined && part !== undefined && line.includes(directory)) {
      parts.set(name, add(part, line));
    }
  }
  return parts;
}

/** Lines with calls that another thread interrupted put together again. */
function* joined(text: string): Generator<string> {
  const unfinished = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, thread = "", call = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(call)?.[1];
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
    if (begun !== undefined) unfinished.set(thread, begun);
    else if (rest === undefined) yield call;
    else yield `${unfinished.get(thread) ?? ""}${rest}`;
  }
}

function add(part: TracedCalls, line: string): TracedCalls {
  const [, call = "", result = ""] = /^(\w+)\(.*= (-?\d+)/.exec(line) ?? [];
  if (/^(?:fsync|fdatasync|sync_file_range)$/.test(call)) return { ...part, syncs: part.syncs + 1 };
  if (/write/.test(call)) {
    const writtenBytes = part.writtenBytes + Math.max(0, Number(result));
    return { ...part, writes: part.writes + 1, writtenBytes };
  }
  // Opening to look changes nothing.
  if (/^(?:open|openat)$/.test(call) && !line.includes("O_CREAT")) return part;
  if (call === "" || /access/.test(call)) return part;
  return { ...part, others: part.others + 1 };
}
