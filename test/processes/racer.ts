// A child process that appends as told, together with others, whenever the parent says so.

import { isCheckpointError } from "../../src/index.ts";
import { eventOf, openPlace, type Place } from "./script.ts";

/** What the parent says, one message a round. */
export interface Race {
  readonly place: Place;
  readonly session: string;
  /** Makes its ids unique. */
  readonly name: string;
  readonly appends: number;
  /** Whether each append insists on the head it has seen, and tries again after a conflict. */
  readonly conditional: boolean;
}

/** What the child answers: the head after each of its appends, and how often it lost. */
export interface RaceResult {
  readonly heads: readonly number[];
  readonly conflicts: number;
  /** How long its appends took together. */
  readonly ms: number;
  readonly error: string | null;
}

process.on("message", (race: Race) => {
  void run(race).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function run({ place, session, name, appends, conditional }: Race): Promise<RaceResult> {
  const checkpointer = await openPlace(place);
  const heads: number[] = [];
  let conflicts = 0;
  const started = performance.now();
  const result = (error: string | null): RaceResult => {
    return { heads, conflicts, ms: performance.now() - started, error };
  };
  try {
    for (let index = 0; index < appends;) {
      const event = eventOf(`${name}.${index}`);
      try {
        const expected = conditional ? await checkpointer.head(session) : undefined;
        heads.push(await checkpointer.append(session, [event], expected));
        index += 1;
      } catch (error) {
        if (!conditional || !isCheckpointError(error, "CONFLICT")) throw error;
        conflicts += 1;
      }
    }
    return result(null);
  } catch (error) {
    return result(String(error));
  } finally {
    await checkpointer.close();
  }
}
