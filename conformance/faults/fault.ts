import fs from "node:fs";
import process from "node:process";
import { hookFileSystem, isMutating, type FileCall, type FileHooks } from "./hook-file-system.ts";
import { hookSockets } from "./hook-sockets.ts";

/**
 * What happens at which call into the file system or a socket; plain JSON, so that a parent can hand it to a child.
 *
 * - `kill`: SIGKILL for this process instead of the call
 * - `kill-after`: SIGKILL once the call is done and before its caller hears of it
 * - `kill-torn`: SIGKILL once half of what is to be written is
 * - `stop`: SIGSTOP for this process before the call, until somebody sends SIGCONT
 * - `fail`: the call fails with `code`
 * - `short`: a write takes only the first half
 */
export interface Fault {
  /** 1 for the first call that counts. */
  readonly at: number;
  readonly act: "kill" | "kill-after" | "kill-torn" | "stop" | "fail" | "short";
  readonly code?: string;
  /** Which calls count. Default: those that change something. */
  readonly counts?: "mutating" | "syncs";
}

/** Faults in the file system and the sockets of this process. */
export interface FaultInjector {
  /** From now on calls count, from 1, and these happen. */
  readonly arm: (faults: readonly Fault[]) => void;
  /** From now on nothing happens. Returns the calls that counted, by name, and how many faults fired. */
  readonly disarm: () => { readonly calls: readonly string[]; readonly fired: number };
}

const original = {
  writeSync: fs.writeSync,
  openSync: fs.openSync,
};

/**
 * Hooks the file system and the sockets of this process.
 *
 * @param announce - told before a stop, since nothing can be told during one
 */
export async function createFaultInjector(announce: () => void): Promise<FaultInjector> {
  let faults: readonly Fault[] = [];
  let calls: string[] = [];
  let seen: number[] = [];
  let fired = 0;
  let armed = false;
  const due = new WeakMap<FileCall, readonly Fault[]>();

  function count(call: FileCall): readonly Fault[] {
    if (counts(faults[0], call)) calls.push(call.name);
    return faults.filter((fault, index) => {
      if (!counts(fault, call)) return false;
      const number = (seen[index] = (seen[index] ?? 0) + 1);
      return number === fault.at;
    });
  }

  const hooks: FileHooks = {
    before(call) {
      if (!armed) return;
      const now = count(call);
      due.set(call, now);
      for (const { act, code = "EIO" } of now) {
        fired += 1;
        if (act === "kill") killSelf("SIGKILL");
        if (act === "kill-torn") {
          writeHalf(call);
          killSelf("SIGKILL");
        }
        if (act === "stop") {
          announce();
          killSelf("SIGSTOP");
        }
        if (act === "fail") throw systemError(code, call);
      }
    },
    replace(call) {
      const short = due.get(call)?.some(({ act }) => act === "short") === true;
      const [fd, bytes, offset, length, ...rest] = call.args;
      if (!short || call.name !== "write" || !ArrayBuffer.isView(bytes)) return call.args;
      const from = typeof offset === "number" ? offset : 0;
      const whole = typeof length === "number" ? length : bytes.byteLength - from;
      return [fd, bytes, from, Math.max(1, Math.floor(whole / 2)), ...rest];
    },
    after(call) {
      if (due.get(call)?.some(({ act }) => act === "kill-after") === true) killSelf("SIGKILL");
    },
  };
  await hookFileSystem(hooks);
  hookSockets(hooks);

  return {
    arm(planned) {
      faults = planned;
      seen = planned.map(() => 0);
      calls = [];
      fired = 0;
      armed = true;
    },
    disarm() {
      armed = false;
      return { calls, fired };
    },
  };
}

function counts(fault: Fault | undefined, call: FileCall): boolean {
  if (fault?.counts === "syncs") return call.name === "fsync" || call.name === "fdatasync";
  return isMutating(call);
}

/** Writes the first half of what a call is to write, where it is one that writes. */
function writeHalf({ name, args }: FileCall): void {
  const [target, data] = args;
  if (name === "write" && typeof target === "number") {
    const bytes = bytesOf(data, args[2], args[3]);
    const position = typeof args[4] === "number" ? args[4] : null;
    original.writeSync(target, bytes, 0, Math.floor(bytes.length / 2), position);
    return;
  }
  if (name !== "writeFile" && name !== "appendFile") return;
  const bytes = bytesOf(data);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const fd =
    typeof target === "number"
      ? target
      : original.openSync(target as fs.PathLike, name === "writeFile" ? "w" : "a");
  original.writeSync(fd, half);
}

function bytesOf(data: unknown, offset?: unknown, length?: unknown): Buffer {
  if (!ArrayBuffer.isView(data)) return Buffer.from(String(data));
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const from = typeof offset === "number" ? offset : 0;
  return bytes.subarray(from, typeof length === "number" ? from + length : undefined);
}

/** Both signals take effect before this returns: the kernel acts on the way out of kill(2). */
function killSelf(signal: "SIGKILL" | "SIGSTOP"): void {
  process.kill(process.pid, signal);
}

/** An error as the file system throws it. */
function systemError(code: string, { name, args }: FileCall): NodeJS.ErrnoException {
  const path = typeof args[0] === "string" ? { path: args[0] } : {};
  return Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name, ...path });
}
