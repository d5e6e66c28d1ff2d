import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSide, sourceOf } from "../../bench/gate/find-side.ts";
import type { SideSource } from "../../bench/gate/messages.ts";
import { SideError } from "../../bench/gate/side-error.ts";
import { CliError } from "../cli-error.ts";
import type { Io } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { gateStoreOf, type GateStore } from "./gate-store.ts";

/** Sides that can be measured, and where. */
export interface Sides {
  readonly sources: readonly SideSource[];
  /** Null where the sides open their stores themselves. */
  readonly store: GateStore | null;
  /** The folder in which stores are made. */
  readonly folder: string;
}

/** Where the gate measures packages when nobody says. */
const defaultStore = "sqlite:";

/**
 * Finds sides, installs what is packed, hands them to `work`, and removes whatever was installed.
 *
 * @param paths - by what messages call the sides
 * @throws CliError, in one line, for a side that is unusable, also while `work` is at it
 */
export async function withSides<T>(
  paths: Readonly<Record<string, string>>,
  spec: string | undefined,
  { env, signal }: Io,
  work: (sides: Sides) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const installed = await mkdtemp(join(tmpdir(), "ckpt-gate-"));
  try {
    const sides = await Promise.all(
      Object.entries(paths).map(async ([name, path]) => ({
        name,
        found: await findSide(name, path),
      })),
    );
    const isPackage = sides.some(({ found }) => found.kind !== "fixture");
    if (!isPackage && spec !== undefined) {
      throw usage("--store is for packages of the kit; a fixture opens its store itself");
    }
    const store = isPackage ? await gateStoreOf(spec ?? defaultStore) : null;
    const sources: SideSource[] = [];
    for (const { name, found } of sides) {
      const adapter = store?.adapter ?? "memory";
      sources.push(await sourceOf(name, found, adapter, { folder: installed, env, signal }));
    }
    return await work({ sources, store, folder: store?.folder ?? tmpdir() });
  } catch (error) {
    throw error instanceof SideError ? usage(error.message) : error;
  } finally {
    await rm(installed, { recursive: true, force: true, maxRetries: 5 });
  }
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
