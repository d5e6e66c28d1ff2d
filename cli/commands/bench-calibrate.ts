import type { Command } from "commander";
import { calibrate, type Calibration } from "../../bench/gate/calibrate.ts";
import { calibrationText } from "../../bench/gate/calibration-text.ts";
import { gatedKinds } from "../../bench/gate/work-kinds.ts";
import { addMeasureOptions, shareOption, type MeasureOptions } from "../bench/gate-options.ts";
import { measureSides } from "../bench/measure-sides.ts";
import { ownPackage } from "../bench/own-package.ts";
import { withSides, type Sides } from "../bench/with-sides.ts";
import type { Context } from "../context.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf } from "../with-store.ts";

interface CalibrateOptions extends MeasureOptions {
  readonly side?: string | undefined;
  readonly runs: number;
  readonly delay: number;
}

const help = `
Lets ckpt bench gate judge the same code twice, and then the same code with one side slowed down, and
counts how often it is red: by how much it can be believed on this machine. Appends of one event (W01) are
measured, since a calibration with all work would take hours. docs/bench-gate.md has figures.

Exit codes of this command:
  0    done, whatever the rates are
  2    the side is unusable, or a wrong command line
  130  interrupted (143 by SIGTERM)`;

export function addBenchCalibrateCommand(bench: Command, context: Context): void {
  const command = bench
    .command("calibrate")
    .description("count the gate's false alarms, and what it finds of a known slow-down")
    .option("--side <side>", "what is measured, as for gate (default: this package)")
    .option("--runs <n>", "gates of each kind", strictNumber({ min: 1, max: 10_000 }), 50)
    .addOption(shareOption("--delay <share>", "by how much one side is slowed down", 0.15));
  addMeasureOptions(command, "7s")
    .addHelpText("after", help)
    .action(async (options: CalibrateOptions, self: Command) => {
      const { json = false, store } = globalsOf(self);
      const side = options.side ?? (await ownPackage());
      const calibration = await withSides({ calibrated: side }, store, context.io, (sides) => {
        return measure(context, options, sides);
      });
      if (json) return context.out.line(jsonLine(calibration));
      const lines = calibrationText(calibration).trimEnd().split("\n");
      for (const line of lines) await context.out.line(escapeText(line));
    });
}

function measure(
  context: Context,
  options: CalibrateOptions,
  { sources, store, folder }: Sides,
): Promise<Calibration> {
  const { runs, delay } = options;
  const [source] = sources;
  if (source === undefined) throw new TypeError("A calibration takes a side");
  const kinds = gatedKinds.slice(0, 1);
  const names = { baseline: "the same code", against: "itself", store: store?.adapter ?? null };
  return measureSides(context, options, folder, (settings) =>
    calibrate({ ...settings, source, runs, delay, kinds, names }),
  );
}
