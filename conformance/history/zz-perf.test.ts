import { test } from "vitest";
import { checkHistory } from "./check-history.ts";
import { createRandom } from "./testing/random.ts";
import { simulateHistory } from "./testing/simulate-history.ts";
test("perf", () => {
  for (const calls of [12_500, 25_000, 50_000, 100_000, 200_000]) {
    const t00 = performance.now();
    const h = simulateHistory(createRandom(1), { clients: 8, calls, sessions: 1, shortens: false, losses: 0.01, longReads: false });
    const t0 = performance.now();
    const v = checkHistory(h);
    console.log(calls, v.status, "sim", Math.round(t0 - t00), "check", Math.round(performance.now() - t0), "ms");
  }
  for (const [calls, losses] of [[1000, 0], [1000, 0.003], [5000, 0.003], [1000, 0.01],[1000,0.05], [20000, 0]] as const) {
    for (const seed of [1, 2, 3]) {
      const h = simulateHistory(createRandom(seed), { clients: 8, calls, sessions: 1, shortens: true, losses, longReads: true });
      const t0 = performance.now();
      const v = checkHistory(h);
      console.log("search", calls, losses, v.status, v.undecided, Math.round(performance.now() - t0), "ms");
    }
  }
}, 300000);
