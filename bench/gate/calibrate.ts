import { seededRandom } from "../seeded-random.ts";
import { spreadOf } from "../statistics.ts";
import type { Spread } from "../bench-report.ts";
import type { GateFigure, GateReport } from "./gate-report.ts";
import type { Cost, SideSource } from "./messages.ts";
import { SideError } from "./side-error.ts";
import { runGate, type GateOptions } from "./run-gate.ts";

/** What a calibration is asked; one source is both sides. */
interface CalibrateOptions extends Omit<GateOptions, "base" | "next" | "onProgress"> {
  readonly source: SideSource;
  /** Gates with the same code twice, and as many again with one side slowed down. */
  readonly runs: number;
  /** Share of its processor time by which one side is slowed down. */
  readonly delay: number;
  readonly onProgress?: ((words: string) => void) | undefined;
}

/** How often the gate is right about what is known; plain JSON. */
export interface Calibration {
  readonly format: 1;
  readonly runs: number;
  readonly delay: number;
  readonly milliseconds: number;
  /** Of the same code twice. */
  readonly same: Alarms;
  /** Of one side slowed down. */
  readonly slowed: Alarms;
}

/** What came of gates that should all have come to the same. */
export interface Alarms {
  /** Gates of which a first run was slower beyond the threshold. */
  readonly suspected: number;
  /** And a second run, too. */
  readonly red: number;
  /** First runs, by cost. */
  readonly runs: Readonly<Record<keyof Cost, Precision>>;
}

/** How well one cost was measured. */
export interface Precision {
  /** Gates that were red by this cost. */
  readonly red: number;
  /** Of the estimates. */
  readonly change: Spread;
  /** Of the intervals, their upper end over their lower one. */
  readonly width: Spread;
  /** In the order of the runs. */
  readonly estimates: readonly number[];
}

/**
 * Lets the gate judge the same code twice, again and again, and the same code with one side slowed down:
 * how often it is red is how far it can be believed on this machine.
 *
 * @throws SideError; the signal's reason
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const begun = performance.now();
  const { runs, delay } = options;
  const seeds = seededRandom(options.seed);
  const same = await judge({ ...options, delay: 0 }, "same code", seeds);
  const slowed = await judge(options, "slowed down", seeds);
  const milliseconds = Math.round(performance.now() - begun);
  return { format: 1, runs, delay, milliseconds, same, slowed };
}

async function judge(
  options: CalibrateOptions,
  words: string,
  seeds: () => number,
): Promise<Alarms> {
  const { source, runs, delay, onProgress } = options;
  const reports: GateReport[] = [];
  for (let run = 1; run <= runs; run += 1) {
    const red = reports.filter(({ isRed }) => isRed).length;
    onProgress?.(`${words}: gate ${run} of ${runs}, ${red} red`);
    const report = await runGate({
      ...options,
      seed: Math.floor(seeds() * 2 ** 31),
      base: { name: "baseline", source },
      next: { name: "against", source, delay },
      onProgress: undefined,
    });
    const [skip] = report.skipped;
    if (skip !== undefined) throw new SideError("calibrated", `${skip.id}: ${skip.reason}`);
    reports.push(report);
  }
  const figures = reports.map((report) => report.figures);
  return {
    suspected: figures.filter((all) => all.some(({ confirmation }) => confirmation !== null))
      .length,
    red: reports.filter(({ isRed }) => isRed).length,
    runs: {
      time: precisionOf(figures.flat(), "time"),
      processor: precisionOf(figures.flat(), "processor"),
    },
  };
}

function precisionOf(figures: readonly GateFigure[], cost: keyof Cost): Precision {
  const own = figures.filter((figure) => figure.cost === cost);
  const estimates = own.map(({ run }) => run.change.estimate);
  return {
    red: own.filter(({ isRed }) => isRed).length,
    change: spreadOf(estimates),
    width: spreadOf(own.map(({ run }) => run.change.high / run.change.low)),
    estimates,
  };
}
