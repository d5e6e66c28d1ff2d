import { escapeText } from "../output/escape.ts";
import { formatTime } from "../output/format-time.ts";
import { fit } from "../output/width.ts";
import type { Chat } from "./chat.ts";

/** Prints where the present session can go back to, and which files that is about. */
export async function showCheckpoints({ context, agent, transcript, stored }: Chat): Promise<void> {
  if (!stored.has(agent.sessionId)) {
    transcript.line("No checkpoints yet: each prompt makes one.");
    return;
  }
  const { style, out } = context;
  const room = (out.columns ?? 100) - 30;
  for (const checkpoint of await agent.listCheckpoints(agent.sessionId)) {
    const { seq, ts, prompt, files, unavailableFiles } = checkpoint;
    const place = `${String(seq).padStart(5)}  ${formatTime(ts)}`;
    transcript.line(`${style.dim(place)}  ${fit(escapeText(prompt), Math.max(20, room))}`);
    if (files.length > 0) transcript.line(`       would put back ${fileList(files)}`);
    if (unavailableFiles.length > 0) {
      const names = fileList(unavailableFiles);
      transcript.line(style.bad(`       cannot put back files: not kept are ${names}`));
    }
  }
  transcript.line(style.dim(notCovered));
}

/** What no restore touches. */
export const notCovered = "Not covered: what shell commands, other programs and services did.";

/** Names of files as a sentence has them. */
export function fileList(names: readonly string[]): string {
  return names.map(escapeText).join(", ");
}
