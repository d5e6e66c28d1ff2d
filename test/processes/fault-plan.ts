import type { FilePort } from "../../adapters/file/index.ts";
import {
  hookPort,
  isMutating,
  systemError,
  type PortCall,
  type PortHooks,
  type PortName,
} from "./faulty-port.ts";

/**
 * What happens at which call; plain JSON, so that a parent can hand it to a child.
 *
 * - `kill-before`, `kill-after`: SIGKILL for this process, so that nothing of it runs any more
 * - `stop`: SIGSTOP for this process before the call, until somebody sends SIGCONT
 * - `fail`: the call fails with `code`, this time
 * - `fail-on`: it and every counted call after it
 * - `short`: a write takes only the first half
 */
export interface Fault {
  readonly at: number;
  readonly act: "kill-before" | "kill-after" | "stop" | "fail" | "fail-on" | "short";
  readonly code?: string;
  /** Which calls count. Default: those that change something. */
  readonly counts?: "mutating" | "all" | readonly PortName[];
}

/** A port with faults, and what it saw. */
export interface FaultyPort {
  readonly port: FilePort;
  /** From now on calls count. */
  readonly arm: () => void;
  /** From now on nothing happens. */
  readonly disarm: () => void;
  /** Names of the calls that counted for the first fault, or would have without one. */
  readonly counted: readonly PortName[];
  /** How many faults happened. */
  readonly fired: () => number;
}

/**
 * A port that counts calls and does what `faults` say.
 *
 * @param announce - told before a stop, since nothing can be told during one
 */
export function createFaultyPort(
  faults: readonly Fault[],
  announce: (what: string) => void = () => undefined,
): FaultyPort {
  let armed = false;
  let fired = 0;
  const counted: PortName[] = [];
  const seen = faults.map(() => 0);

  function due(call: PortCall): Fault[] {
    const first = faults[0];
    if (countsFor(first?.counts ?? "mutating", call)) counted.push(call.name);
    return faults.filter((fault, index) => {
      if (!countsFor(fault.counts ?? "mutating", call)) return false;
      const count = (seen[index] = (seen[index] ?? 0) + 1);
      return count === fault.at || (fault.act === "fail-on" && count > fault.at);
    });
  }

  const pending = new WeakMap<readonly unknown[], Fault[]>();
  const hooks: PortHooks = {
    before(call) {
      if (!armed) return;
      const now = due(call);
      if (now.length === 0) return;
      pending.set(call.args, now);
      for (const { act, code } of now) {
        if (act === "kill-before") killSelf("SIGKILL");
        if (act === "stop") {
          announce(call.name);
          killSelf("SIGSTOP");
        }
        if (failsFirst(act, call)) {
          fired += 1;
          throw systemError(code ?? "EIO", call);
        }
      }
    },
    replace({ name, args }) {
      const short = pending.get(args)?.some(({ act }) => act === "short") === true;
      if (!short || name !== "writeSync") return args;
      fired += 1;
      const [fd, bytes, offset, length, position] = args;
      return [fd, bytes, offset, Math.floor(Number(length) / 2), position];
    },
    after(call) {
      // close(2) frees the descriptor whatever it returns.
      const failure = pending.get(call.args)?.find(({ act }) => act.startsWith("fail"));
      if (failure === undefined || call.name !== "closeSync") return;
      fired += 1;
      throw systemError(failure.code ?? "EIO", call);
    },
    settled({ args }) {
      if (pending.get(args)?.some(({ act }) => act === "kill-after") === true) killSelf("SIGKILL");
    },
  };
  return {
    port: hookPort(hooks),
    arm: () => void (armed = true),
    disarm: () => void (armed = false),
    counted,
    fired: () => fired,
  };
}

function countsFor(counts: NonNullable<Fault["counts"]>, call: PortCall): boolean {
  if (counts === "all") return true;
  return counts === "mutating" ? isMutating(call) : counts.includes(call.name);
}

function failsFirst(act: Fault["act"], { name }: PortCall): boolean {
  return act.startsWith("fail") && name !== "closeSync";
}

/** Both signals take effect before this returns: the kernel acts on the way out of kill(2). */
function killSelf(signal: "SIGKILL" | "SIGSTOP"): void {
  process.kill(process.pid, signal);
}
