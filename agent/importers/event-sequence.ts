import type { AssistantEvent, SessionEvent, SummaryEvent } from "../../src/index.ts";
import type { OtherBlock } from "../message.ts";
import type { TranscriptRecord } from "./transcript.ts";

/** What an imported event carries beside itself, in its field `imported`. */
export interface Imported {
  /** Whose transcript it was. */
  readonly from: TranscriptFormat;
  /**
   * The records it was made of, with their line numbers: everything the vendor wrote, except content that
   * the event holds unchanged. An event that shares its record with the one before it has none.
   */
  readonly records: readonly TranscriptRecord[];
}

/** The transcripts that can be imported. */
export type TranscriptFormat = "claude-code" | "codex" | "messages";

/** What one record adds to an assistant message. */
interface AssistantPart {
  readonly content: string | readonly OtherBlock[];
  readonly model?: string | undefined;
  readonly usage?: AssistantEvent["usage"];
  readonly interrupted?: true | undefined;
}

/**
 * The events of a transcript in the making. An assistant message that arrives in parts stays open; what
 * comes between its parts waits behind it, so that it becomes one event in front of its tools' results.
 */
export interface EventSequence {
  /** Adds a part to the open message if that one has the same key, else begins another one. */
  readonly assistant: (key: unknown, part: AssistantPart, record: TranscriptRecord) => void;
  /** Says that the open message, if there is one, was cut off. */
  readonly interrupt: () => void;
  /** Adds an event; it waits while a message is open. */
  readonly add: (event: SessionEvent, records: readonly TranscriptRecord[]) => void;
  /** Adds a record that is no part of the conversation, untouched, under a type of its own. */
  readonly keep: (type: string, record: TranscriptRecord) => void;
  /** Adds a summary of everything before it. */
  readonly summarize: (summary: string, record: TranscriptRecord) => void;
  /** Ends the open message. */
  readonly close: () => void;
  /** The events that are complete and were not taken yet. */
  readonly take: () => SessionEvent[];
}

interface OpenMessage {
  readonly key: unknown;
  readonly content: OtherBlock[];
  readonly records: TranscriptRecord[];
  part: AssistantPart;
}

/** An empty sequence. */
export function createEventSequence(from: TranscriptFormat): EventSequence {
  let done: SessionEvent[] = [];
  let waiting: SessionEvent[] = [];
  let open: OpenMessage | undefined;
  let taken = 0;

  const imported = (event: object, records: readonly TranscriptRecord[]): SessionEvent =>
    // Kept records have types of their own, which a log takes although the union does not list them.
    ({ ...event, imported: { from, records } }) as unknown as SessionEvent;

  const add = (event: object, records: readonly TranscriptRecord[]): void => {
    (open === undefined ? done : waiting).push(imported(event, records));
  };

  const close = (): void => {
    if (open === undefined) return;
    const { content, records, part } = open;
    open = undefined;
    done.push(imported(assistantEvent(content, part), records), ...waiting);
    waiting = [];
  };

  return {
    assistant(key, part, record) {
      if (typeof part.content === "string") {
        close();
        return add(assistantEvent(part.content, part), [record]);
      }
      if (open === undefined || open.key !== key) {
        close();
        open = { key, content: [], records: [], part };
      }
      open.content.push(...part.content);
      open.records.push(record);
      open.part = { ...part, interrupted: part.interrupted ?? open.part.interrupted };
    },
    interrupt() {
      if (open !== undefined) open.part = { ...open.part, interrupted: true };
    },
    add,
    keep(type, record) {
      add({ type: `${from}:${type}` }, [record]);
    },
    summarize(summary, record) {
      close();
      const throughSeq = taken + done.length;
      const event: SummaryEvent = { type: "summary", summary, throughSeq };
      add(event, [record]);
    },
    close,
    take() {
      const events = done;
      done = [];
      taken += events.length;
      return events;
    },
  };
}

function assistantEvent(
  content: AssistantPart["content"],
  { model, usage, interrupted }: AssistantPart,
): AssistantEvent {
  return { type: "assistant", content, model, usage, interrupted };
}
