import { isCheckpointError, quote, type ToolResultEvent } from "../src/index.ts";
import type { AnsweredCall } from "./ask-model.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { interruption, jsonOf, messageOf, unlessAborted } from "./outcome.ts";
import type { SessionLog } from "./session-log.ts";
import type { Tool } from "./tool.ts";
import { changeFile } from "./workspace/change-file.ts";
import { workIdOf } from "./workspace/replace-file.ts";

/** What a person or a policy says of a tool call. */
export type Permission = (
  call: { readonly callId: string; readonly name: string; readonly input: unknown },
  signal: AbortSignal,
) => Promise<{ readonly allowed: boolean; readonly reason?: string | undefined }>;

/** Where a tool call runs. */
export interface ToolRun {
  readonly log: SessionLog;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly workdir: string;
  readonly permission: Permission | undefined;
  readonly background: BackgroundTasks;
}

/**
 * Runs one tool call. That it starts is durable before it does, and so is each file's state before it changes it;
 * whatever happens, it has a result afterwards.
 *
 * @throws what the log throws: then the call stays open, and the next resume closes it
 */
export async function runTool(
  run: ToolRun,
  call: AnsweredCall,
  signal: AbortSignal,
): Promise<void> {
  const { log } = run;
  const { id: callId, name, input } = call;
  const refusal = refusalOf(run, call, signal) ?? (await deniedBy(run, call, signal));
  if (refusal !== null) {
    await log.append([{ type: "tool_result", callId, output: refusal, isError: true }]);
    return;
  }
  await log.append([{ type: "tool_started", callId, name, input }]);
  await appendResult(log, await resultOf(run, call, signal));
}

/** A result that no log can hold, one of 20 MB for example, is told as a failure, and the turn goes on. */
async function appendResult(log: SessionLog, result: ToolResultEvent): Promise<void> {
  try {
    await log.append([result]);
  } catch (error) {
    const isTooLarge = isCheckpointError(error, "LIMIT_EXCEEDED");
    if (!isTooLarge && !isCheckpointError(error, "EVENT_NOT_SERIALIZABLE")) throw error;
    const output = `The output cannot be kept: ${messageOf(error)}`;
    await log.append([{ type: "tool_result", callId: result.callId, output, isError: true }]);
  }
}

/** Why a call is not run, or null. */
function refusalOf({ tools }: ToolRun, call: AnsweredCall, signal: AbortSignal): string | null {
  if (signal.aborted) return interruption;
  if (call.inputError !== undefined) return `Cannot read the input: ${call.inputError}`;
  return tools.has(call.name) ? null : `No tool ${quote(call.name)}`;
}

async function deniedBy(
  { log, permission }: ToolRun,
  { id: callId, name, input }: AnsweredCall,
  signal: AbortSignal,
): Promise<string | null> {
  if (permission === undefined) return null;
  const { allowed, reason } = await permission({ callId, name, input }, signal).catch(
    (error: unknown) => ({ allowed: false, reason: messageOf(error) }),
  );
  await log.append([{ type: "permission_decision", callId, allowed, reason }]);
  return allowed ? null : `Not allowed${reason === undefined ? "" : `: ${reason}`}`;
}

async function resultOf(
  { log, tools, workdir, background }: ToolRun,
  { id: callId, name, input }: AnsweredCall,
  signal: AbortSignal,
): Promise<ToolResultEvent> {
  try {
    const running = tools.get(name)?.run(input, {
      callId,
      workdir,
      signal,
      changeFile(path, change) {
        // A tool that does not listen to its signal has a result by now, and changes nothing any more.
        signal.throwIfAborted();
        return changeFile(workdir, {
          path,
          change,
          callId,
          isStored: (hash) => log.state.storedBytes.has(hash),
          record: (snapshot) => log.append([snapshot]),
          workId: workIdOf(log.sessionId, callId),
        });
      },
      runInBackground: (task, work) => background.start(log, task, work),
    });
    const output = await unlessAborted(signal, running);
    return { type: "tool_result", callId, output: jsonOf(output) };
  } catch (error) {
    const output = signal.aborted ? interruption : messageOf(error);
    return { type: "tool_result", callId, output, isError: true };
  }
}
