import type { ChildProcess } from "node:child_process";
import { properties } from "../../conformance/properties/index.ts";
import type { News, Order } from "./messages.ts";

/** What comes of watching: the process's own news, or that it hangs. */
export type Watched = News | { readonly type: "silent"; readonly message: string };

const tickMs = 250;

/** The suite names its hangs itself, with the case; this is for when it cannot. */
const graceMs = 2_000;

/**
 * The news of a process that runs the suite, from its order to its exit. Ends with `silent` when the
 * process says nothing, which is a loop that lets nothing else run, or when a property takes longer
 * than all of its cases together may.
 *
 * @throws the signal's reason
 */
export async function* watchSuite(
  child: ChildProcess,
  order: Order,
  signal: AbortSignal,
): AsyncGenerator<Watched> {
  const { patience } = order;
  const arrived: News[] = [];
  let wake = (): void => undefined;
  let gone = false;
  // Ticks and not moments, so that a laptop that sleeps is not taken for a hang.
  let silence = 0;
  let stage = 0;
  let mostInStage = patience + graceMs;
  const timer = setInterval(() => {
    silence += tickMs;
    stage += tickMs;
    wake();
  }, tickMs);
  child.on("message", (news) => {
    arrived.push(news as News);
    wake();
  });
  const onGone = (): void => {
    gone = true;
    wake();
  };
  // `close` of the channel comes after the last message, `exit` may come before it.
  child.on("disconnect", onGone).on("error", onGone);
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort);
  child.send(order);
  try {
    while (true) {
      signal.throwIfAborted();
      const news = arrived.shift();
      if (news !== undefined) {
        silence = 0;
        if (news.type === "start" || news.type === "subject") {
          stage = 0;
          const cases = news.type === "start" ? casesOf(news.id) : 0;
          mostInStage = patience * (cases + 1) + graceMs;
        }
        yield news;
        continue;
      }
      if (gone) return;
      if (silence > patience + graceMs || stage > mostInStage) {
        const seconds = Math.round(Math.max(silence, stage) / 1_000);
        const how = silence > patience ? ", in a loop that lets nothing else run" : "";
        yield { type: "silent", message: `no end after ${seconds} s${how}` };
        return;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function casesOf(id: string): number {
  return properties.find((one) => one.id === id)?.cases.length ?? 1;
}
