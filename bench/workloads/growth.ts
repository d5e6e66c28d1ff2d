import { batchAt, fillSession, timed } from "../session-work.ts";
import type { Sizes, WorkKind } from "../workload.ts";

/** W11: the same append behind sessions of three lengths, a factor of about ten apart. */
export function appendBehind(sizes: Sizes): readonly WorkKind[] {
  return growthSteps(sizes).map((length) => ({
    id: `W11/${length}`,
    workload: "W11",
    title: () => `append 1 behind ${length.toLocaleString("en")} events`,
    per: "event",
    // So few that the length stays about what it is said to be over all blocks.
    most: Math.max(4, Math.round(length / 50)),
    async prepare({ open, events }) {
      const handle = await open();
      await fillSession(handle, "growth", events, length);
      let place = 0;
      return {
        async run(operations, onLatency) {
          for (let left = operations; left > 0; left -= 1) {
            const batch = batchAt(events, (place += 1), 1);
            await timed(onLatency, () => handle.append("growth", batch));
          }
        },
      };
    },
  }));
}

/** The lengths that W11 looks at. */
export function growthSteps({ large, session }: Sizes): readonly number[] {
  return [Math.round(session / 10), session, large];
}
