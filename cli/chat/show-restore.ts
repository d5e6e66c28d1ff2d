import type { RestoreOptions, RestoreResult } from "../../agent/index.ts";
import { showId } from "../output/escape.ts";
import type { Chat } from "./chat.ts";
import { fileList, notCovered } from "./show-checkpoints.ts";

/** Says what a restore did and did not do, and how to undo it. */
export async function showRestore(
  chat: Chat,
  seq: number,
  options: RestoreOptions,
  result: RestoreResult,
): Promise<void> {
  const { transcript, context } = chat;
  const row = (name: string, text: string): void => {
    transcript.line(`  ${name.padEnd(13)} ${text}`);
  };
  transcript.line(`This is just before ${seq} again:`);
  for (const text of filesOf(options, result)) row("files", text);
  row("conversation", conversationOf(result));
  const forward = await wayForward(chat, result);
  if (forward !== null) row("forward again", forward);
  transcript.line(context.style.dim(`  ${notCovered}`));
}

function filesOf(options: RestoreOptions, result: RestoreResult): string[] {
  if (options.files === false) return ["not touched (--conversation-only)"];
  const { restoredFiles, unchangedFiles } = result;
  const lines = [
    ...(restoredFiles.length > 0 ? [`put back ${fileList(restoredFiles)}`] : []),
    ...(unchangedFiles.length > 0 ? [`already as they were: ${fileList(unchangedFiles)}`] : []),
  ];
  return lines.length > 0 ? lines : ["none was changed by a tool since"];
}

function conversationOf({ conversationRestored, branchId }: RestoreResult): string {
  if (!conversationRestored) return "not touched (--files-only)";
  const kept = branchId === null ? "" : `; what was cut off is the branch ${showId(branchId)}`;
  return `cut${kept}`;
}

/** The commands that take a restore back, or null when it did nothing that could be. */
async function wayForward({ agent }: Chat, result: RestoreResult): Promise<string | null> {
  const { branchId, restoredFiles } = result;
  // Before it changes files, a restore leaves a checkpoint of its own.
  const place = async (id: string): Promise<number | undefined> =>
    restoredFiles.length === 0 ? undefined : (await agent.listCheckpoints(id)).at(-1)?.seq;
  if (branchId === null) {
    const seq = await place(agent.sessionId);
    return seq === undefined ? null : `/restore ${seq} --files-only`;
  }
  const seq = await place(branchId);
  const resume = `/resume ${branchId}`;
  return seq === undefined ? resume : `${resume}, then /restore ${seq}`;
}
