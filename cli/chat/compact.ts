import type { CompactionEvent, TokenCount } from "../../agent/index.ts";
import { formatCount } from "../output/format-count.ts";
import { createProgress } from "../progress.ts";
import type { Chat } from "./chat.ts";

/** Compacts the conversation, with one line about how far it is and one about what came of it. */
export async function compact(
  { context, agent, lines, transcript }: Chat,
  instructions: string | undefined,
): Promise<void> {
  const progress = createProgress(context.io);
  let before: TokenCount | undefined;
  let done: CompactionEvent | undefined;
  try {
    await lines.during(async (signal) => {
      // What is said of the end must not stand behind it.
      signal.addEventListener("abort", progress.clear, { once: true });
      let stage: CompactionEvent["stage"];
      for await (const event of agent.compact(instructions, { signal })) {
        if (event.stage === "measure") before = event.tokens;
        if (event.phase === "done") done = event;
        if (event.phase !== "progress") continue;
        // A long stage behind a short one would otherwise not be shown.
        if (event.stage !== stage) progress.clear();
        stage = event.stage;
        progress.show(stageText(event));
      }
    });
  } finally {
    progress.clear();
  }
  const [was, is] = [before, done?.tokens].map(countText);
  if (done?.changed === true) {
    transcript.line(`Summarized: ${was} are ${is} now. Every checkpoint stays.`);
  } else transcript.line(`Nothing new to summarize: ${was}.`);
}

function stageText({ stage, completed, total }: CompactionEvent): string {
  const share = total === undefined ? "" : ` ${completed ?? 0} of ${total}`;
  return `compacting: ${stage ?? ""}${share}`;
}

function countText(tokens: TokenCount | undefined): string {
  return tokens === undefined ? "?" : `${formatCount(tokens.count, "token")} (${tokens.by})`;
}
