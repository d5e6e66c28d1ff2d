import { AgentError, RestoreError, type RestoreOptions } from "../../agent/index.ts";
import type { RestoreStartedEvent, SessionEvent } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { escapeText, showId } from "../output/escape.ts";
import { oneLine } from "../report-error.ts";
import { isConversation } from "./open-chat-lines.ts";
import type { Chat } from "./chat.ts";
import { compact } from "./compact.ts";
import { chatHelp, type ChatRequest } from "./parse-line.ts";
import { recentEvents } from "./recent-events.ts";
import { showCheckpoints } from "./show-checkpoints.ts";
import { showRestore } from "./show-restore.ts";
import { showSessions } from "./show-sessions.ts";

/**
 * Does what a line asks for.
 *
 * @returns false when it asks to leave
 */
export async function runRequest(chat: Chat, request: ChatRequest): Promise<boolean> {
  if (request.name === "exit") return false;
  await run(chat, request);
  return true;
}

async function run(chat: Chat, request: Exclude<ChatRequest, { name: "exit" }>): Promise<void> {
  const { agent, transcript } = chat;
  switch (request.name) {
    case "send":
      return send(chat, request.prompt);
    case "compact":
      return compact(chat, request.instructions);
    case "checkpoints":
      return showCheckpoints(chat);
    case "restore":
      return restore(chat, request.seq, request.options);
    case "sessions":
      return showSessions(chat);
    case "resume":
      await resume(chat, request.sessionId, request.force);
      return showPast(chat);
    case "clear":
      agent.clear();
      return transcript.line(`A new session: ${agent.sessionId}`);
    case "help":
      return transcript.line(chatHelp);
  }
}

async function send({ agent, lines, transcript, context }: Chat, prompt: string): Promise<void> {
  const { stopReason } = await lines.during((signal) => agent.send(prompt, { signal }));
  if (stopReason === "end") return;
  transcript.line(context.style.dim(`(stopped: ${stopReason})`));
}

async function restore(chat: Chat, seq: number, options: RestoreOptions): Promise<void> {
  const { agent, lines } = chat;
  try {
    const result = await lines.during((signal) =>
      agent.restore(agent.sessionId, seq, { ...options, signal }),
    );
    await showRestore(chat, seq, options, result);
  } catch (error) {
    if (error instanceof AgentError && error.code === "NOT_A_CHECKPOINT") {
      throw new CliError(exitCodes.failed, `No checkpoint ${seq}; /checkpoints lists them`);
    }
    throw error instanceof RestoreError ? refused(chat, error, `/restore ${seq} --force`) : error;
  }
}

/**
 * Goes on with another session.
 *
 * @param force - when a restore in it was interrupted, overwrite what others changed since
 */
async function resume(chat: Chat, sessionId: string, force: boolean): Promise<void> {
  const { agent, lines, stored } = chat;
  try {
    await agent.resume(sessionId);
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error;
    if (!force) throw refused(chat, error, resumeByForce(sessionId));
    const { targetSeq, files, conversation } = await interruptedRestore(chat, sessionId);
    const options = { files, conversation, force };
    const result = await lines.during((signal) =>
      agent.restore(sessionId, targetSeq, { ...options, signal }),
    );
    await agent.resume(sessionId);
    await showRestore(chat, targetSeq, options, result);
  }
  stored.add(sessionId);
}

/** The command that finishes an interrupted restore. */
export function resumeByForce(sessionId: string): string {
  return `/resume ${sessionId} --force`;
}

async function interruptedRestore(
  { store }: Pick<Chat, "store">,
  sessionId: string,
): Promise<RestoreStartedEvent> {
  for await (const stored of store.read(sessionId, { reverse: true })) {
    const event = stored.event as SessionEvent;
    if (event.type === "restore_started") return event;
  }
  throw new CliError(exitCodes.failed, `No interrupted restore in session ${showId(sessionId)}`);
}

/** Shows the end of the present session to a person; a script asked for answers alone. */
async function showPast({ context, agent, store, transcript }: Chat): Promise<void> {
  if (!isConversation(context)) return;
  for (const event of await recentEvents(store, agent.sessionId)) transcript.past(event);
}

/** Lists what stands in the way of a restore; what somebody else changed may be overwritten. */
function refused({ transcript }: Chat, error: RestoreError, command: string): Error {
  for (const { path, detail } of error.problems) {
    transcript.line(`  ${escapeText(path)}: ${escapeText(detail)}`);
  }
  return withHint(error, command);
}

/** @param command - overwrites what somebody else changed */
export function withHint(error: RestoreError, command: string): Error {
  if (!error.problems.every(({ reason }) => reason === "changed")) return error;
  const message = `${oneLine(error)}; ${command} overwrites that`;
  return new CliError(exitCodes.failed, message, { cause: error });
}
