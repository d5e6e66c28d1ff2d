import {
  headFence,
  holdAppends,
  stopAppends,
  tokenFence,
  type Fence,
} from "../processes/late-writers.ts";
import type { Context } from "../context.ts";
import type { Case, Properties } from "../property.ts";

const fences = (what: string, run: (context: Context, fence: Fence) => Promise<void>): Case[] => [
  {
    name: `append() that insists on the head and ${what}`,
    run: (context) => run(context, headFence),
  },
  {
    name: `append() that insists on a token and ${what}`,
    requires: ["headToken", "truncate"],
    run: (context) => run(context, tokenFence),
  },
];

/** Writers that come too late, and find the door shut. */
export const fenceProperties: Properties = [
  {
    id: "W1",
    group: "fence",
    level: "L4",
    requires: ["server"],
    statement:
      "What an append insists on is compared where it is written: one that arrives after a takeover is refused",
    reason:
      "A check that was made a moment ago is no check, and the moment is as long as the network likes",
    cases: fences("is held up on its way to the server", holdAppends),
  },
  {
    id: "W2",
    group: "fence",
    level: "L4",
    requires: ["server", "processes"],
    statement: "A writer that is stopped, replaced and woken up lands nothing behind its successor",
    reason:
      "A paused virtual machine goes on exactly where it was, which is behind the check and before the write",
    cases: fences("whose process is stopped before it sends it", stopAppends),
  },
];
