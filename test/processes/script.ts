import { fileAnchor, fileCheckpointer, type FilePort } from "../../adapters/file/index.ts";
import type { Anchor, Checkpointer, Codec } from "../../src/index.ts";
import type { Ring } from "./rings.ts";

/** The events of these tests: their id tells who wrote them and when. */
export interface TestEvent {
  readonly type: "user";
  readonly id: string;
  readonly content: string;
}

/** Makes an event; `size` pads it. */
export function eventOf(id: string, size: number = 0): TestEvent {
  return { type: "user", id, content: "x".repeat(size) };
}

/** One call on a checkpointer; plain JSON. */
export type Step =
  | {
      readonly do: "append";
      readonly session: string;
      readonly ids: readonly string[];
      readonly key?: string;
      readonly expected?: number;
      readonly size?: number;
    }
  | { readonly do: "truncate"; readonly session: string; readonly toSeq: number }
  | { readonly do: "delete"; readonly session: string }
  | {
      readonly do: "fork";
      readonly source: string;
      readonly atSeq: number;
      readonly session: string;
    }
  | { readonly do: "repair"; readonly session: string }
  | { readonly do: "rekey" }
  | { readonly do: "adopt" }
  | { readonly do: "close" };

/** Which store a child opens; plain JSON. */
export interface Place {
  readonly adapter: "file" | "sqlite";
  /** Directory of the file store, or path of the database. */
  readonly at: string;
  readonly durability?: "power" | "process";
  readonly busyTimeoutMs?: number;
  readonly lockLingerMs?: number;
  /** Keys that records are sealed and opened with. Left out: they are plain. */
  readonly ring?: Ring;
  /** Directory of a file anchor. Left out: there is none. */
  readonly anchor?: string;
}

/** The shortest stale limit that the lock library allows. */
export const staleMs = 2_000;

/** Opens the store at `place`; its files and its anchor's go through `port`. */
export async function openPlace(place: Place, port?: FilePort): Promise<Checkpointer<TestEvent>> {
  const { adapter, at, durability = "power", busyTimeoutMs, lockLingerMs } = place;
  const codec = await codecOf(place);
  const anchor = anchorOf(place, port);
  if (adapter === "sqlite") {
    // Hundreds of children start, and most of them need no database.
    const { sqliteCheckpointer } = await import("../../adapters/sqlite/index.ts");
    const synchronous = durability === "power" ? "full" : "normal";
    return sqliteCheckpointer<TestEvent>({ file: at, synchronous, busyTimeoutMs, codec, anchor });
  }
  return fileCheckpointer<TestEvent>({
    dir: at,
    durability,
    lockStaleMs: staleMs,
    lockLingerMs,
    busyTimeoutMs,
    onTornTail: () => undefined,
    port,
    codec,
    anchor,
  });
}

async function codecOf({ ring }: Place): Promise<Codec | undefined> {
  if (ring === undefined) return undefined;
  const { codecFor } = await import("./rings.ts");
  return codecFor(ring);
}

/** The anchor of a place, if it has one. */
export function anchorOf({ anchor }: Place, port?: FilePort): Anchor | undefined {
  return anchor === undefined ? undefined : fileAnchor({ dir: anchor, lockStaleMs: staleMs, port });
}

/** Runs one step. */
export async function runStep(
  checkpointer: Checkpointer<TestEvent>,
  step: Step,
): Promise<number | null> {
  switch (step.do) {
    case "append": {
      const events = step.ids.map((id) => eventOf(id, step.size));
      const options = { idempotencyKey: step.key, expectedHead: step.expected };
      return checkpointer.append(step.session, events, options);
    }
    case "truncate":
      await checkpointer.truncate(step.session, step.toSeq);
      return null;
    case "delete":
      await checkpointer.delete(step.session);
      return null;
    case "fork":
      return checkpointer.fork(step.source, step.atSeq, step.session);
    case "repair":
      await checkpointer.repair(step.session);
      return null;
    case "rekey":
    case "adopt":
      return (await checkpointer[step.do]()).sessions;
    case "close":
      await checkpointer.close();
      return null;
  }
}
