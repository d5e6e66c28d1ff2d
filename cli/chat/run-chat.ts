import { createLiteAgent, RestoreError } from "../../agent/index.ts";
import { isPrompt, promptText } from "../../agent/prompts.ts";
import { isCheckpointError, type Checkpointer, type SessionEvent } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context, Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interruption } from "../interruption.ts";
import { escapeText, showId } from "../output/escape.ts";
import { OutputClosedError } from "../output/output.ts";
import { complain } from "../report-error.ts";
import { isConversation, openChatLines } from "./open-chat-lines.ts";
import type { Chat } from "./chat.ts";
import type { ChosenModel } from "./choose-model.ts";
import { parseLine } from "./parse-line.ts";
import { recentEvents } from "./recent-events.ts";
import { resumeByForce, runRequest, withHint } from "./run-request.ts";
import { Cancelled } from "./terminal-lines.ts";
import { createTranscript } from "./transcript.ts";

/** What a chat is about. */
export interface ChatSetting {
  readonly store: Store;
  readonly chosen: ChosenModel;
  readonly workdir: string;
  /** A session to go on with. */
  readonly sessionId: string | undefined;
}

const system =
  "You help a person with the files of one directory. You see and change them with your tools alone; paths are " +
  "relative to that directory. There is no shell. Answer in plain text for a terminal, and briefly.";

/** Talks until the person leaves, or standard input ends. */
export async function runChat(context: Context, setting: ChatSetting): Promise<void> {
  const { store, chosen, workdir } = setting;
  // Events of other programs count, and say nothing to a model.
  const checkpointer = store as unknown as Checkpointer;
  const agent = createLiteAgent({ ...chosen, workdir, checkpointer, system });
  const stored = new Set<string>();
  const transcript = createTranscript(context);
  agent.subscribe((event) => {
    if (event.type === "appended") stored.add(event.sessionId);
    transcript.live(event);
  });
  try {
    await converse({ context, store, agent, transcript, stored }, setting);
    context.io.signal.throwIfAborted();
  } finally {
    await agent.close();
    const { sessionId } = agent;
    const isKept = stored.has(sessionId) && store.capabilities.durability !== "none";
    if (isKept) transcript.line(`ckpt chat --resume ${showId(sessionId)} goes on here.`);
  }
}

async function converse(
  opened: Omit<Chat, "lines">,
  { chosen, workdir, sessionId }: ChatSetting,
): Promise<void> {
  const { context, agent, store, stored, transcript } = opened;
  const interactive = isConversation(context);
  if (interactive) {
    const model = [...new Set([chosen.model.id, chosen.modelName])].join("/");
    transcript.line(context.style.bold(escapeText(`${model} in ${workdir}`)));
    transcript.line(context.style.dim("/help lists the commands."));
  }
  let past: SessionEvent[] = [];
  if (sessionId !== undefined) {
    await agent.resume(sessionId).catch((error: unknown) => {
      if (!(error instanceof RestoreError)) throw error;
      throw withHint(error, `in a chat, ${resumeByForce(sessionId)}`);
    });
    stored.add(sessionId);
    if (interactive) past = await recentEvents(store, agent.sessionId);
  }
  past.forEach(transcript.past);
  const lines = openChatLines(context, linesIn(past));
  try {
    await takeLines({ ...opened, lines }, interactive);
  } finally {
    lines.close();
  }
}

/**
 * At a terminal a failure is told and the next line is asked for; elsewhere the first failure is the end, because the
 * lines behind it count on what failed.
 */
async function takeLines(chat: Chat, interactive: boolean): Promise<void> {
  const { context, lines } = chat;
  for (let line = await lines.next(); line !== null; line = await lines.next()) {
    try {
      const request = parseLine(line);
      if (request !== null && !(await runRequest(chat, request))) return;
    } catch (error) {
      if (!interactive || isTheEnd(error, context)) throw error;
      if (!(error instanceof Cancelled)) await complain(context, explained(error));
    }
    // Notices a reader who went away.
    await context.out.flush();
  }
}

/** The engine's message is about heads; a person has to know what to do. */
function explained(error: unknown): unknown {
  if (!isCheckpointError(error, "CONFLICT")) return error;
  const text = "Somebody else changed this session meanwhile; the next prompt reads it again";
  return new CliError(exitCodes.conflict, `${text} (${error.code})`, { cause: error });
}

function isTheEnd(error: unknown, { io }: Context): boolean {
  return io.signal.aborted || error instanceof Interruption || error instanceof OutputClosedError;
}

/** What a person typed, for the up arrow. */
function linesIn(events: readonly SessionEvent[]): string[] {
  return events.filter(isPrompt).map(({ content }) => promptText(content));
}
