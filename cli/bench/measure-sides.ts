import type { GateOptions } from "../../bench/gate/run-gate.ts";
import { gateSizes } from "../../bench/gate/work-kinds.ts";
import type { Context } from "../context.ts";
import { createProgress } from "../progress.ts";
import type { MeasureOptions } from "./gate-options.ts";

/** What the gate and its calibration are told alike. */
type Settings = Omit<GateOptions, "base" | "next" | "kinds" | "names">;

/** Measures in a folder as a command line says, and shows how far it is. */
export async function measureSides<T>(
  { io }: Context,
  { pairs, block, duration, threshold, seed, patience }: MeasureOptions,
  folder: string,
  measure: (settings: Settings) => Promise<T>,
): Promise<T> {
  const progress = createProgress(io);
  try {
    return await measure({
      folder,
      sizes: gateSizes,
      pairs,
      block,
      duration,
      threshold,
      seed,
      patience: patience * 1_000,
      env: io.env,
      signal: io.signal,
      onProgress: progress.show,
    });
  } finally {
    progress.clear();
  }
}
