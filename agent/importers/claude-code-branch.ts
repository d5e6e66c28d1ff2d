import { isObject, type JsonObject } from "../json-object.ts";
import type { TranscriptRecord } from "./transcript.ts";

/** Where a record of a Claude Code transcript belongs. */
export type Place = "conversation" | "sidechain" | "abandoned";

/** What the first reading of a transcript has found out. */
export interface Branches {
  /** Records there were; more may have been written since. */
  readonly count: number;
  /** Where the record at `index`, counted from 0, belongs. */
  readonly placeOf: (index: number, record: JsonObject) => Place;
}

/**
 * Finds the conversation in a transcript: which of its branches went on to the end, and whether its
 * sidechains are those of a subagent or all there is. Memory is a few numbers and a uuid a record.
 *
 * Records name their parents, and a person who goes back and says something else gives a parent a second
 * line of children, which begins with that message. The line with the last message of the file is the
 * conversation, the others were abandoned. Children that do not begin with a person's message are no
 * branches: tools that run side by side fork the chain too, and each of their results belongs to it.
 * Roots are no branches either: a compaction begins a new one, and old versions linked nothing.
 */
export async function findBranches(records: AsyncIterable<TranscriptRecord>): Promise<Branches> {
  const tree = createTree();
  let hasMain = false;
  let count = 0;
  for await (const { value } of records) {
    const record = isObject(value) ? value : {};
    const isMain = isMessage(record) && record["isSidechain"] !== true;
    hasMain ||= isMain;
    tree.add(record);
    count += 1;
  }
  const abandoned = tree.abandoned();
  return {
    count,
    placeOf(index, record) {
      if (abandoned.has(index) && isMessage(record)) return "abandoned";
      return hasMain && record["isSidechain"] === true ? "sidechain" : "conversation";
    },
  };
}

/** Whether a record of a user says something, instead of handing back what a tool gave. */
export function isSaid({ type, message }: JsonObject): boolean {
  if (type !== "user" || !isObject(message)) return false;
  const { content } = message;
  const isResult = (block: unknown): boolean => isObject(block) && block["type"] === "tool_result";
  return !(Array.isArray(content) && content.some(isResult));
}

function isMessage({ type }: JsonObject): boolean {
  return type === "user" || type === "assistant";
}

const none = -1;

interface Tree {
  readonly add: (record: JsonObject) => void;
  /** Indexes of the records on abandoned branches. */
  readonly abandoned: () => ReadonlySet<number>;
}

function createTree(): Tree {
  const indexes = new Map<string, number>();
  /** Per record: its parent's index, always a smaller one, or `none`. */
  const parents: number[] = [];
  /** Per record: the number of the line of children it belongs to among those of its parent. */
  const lines: number[] = [];
  /** Per record: how many lines of children it has, less one; `none` without children. */
  const lastLines: number[] = [];
  /** Per record: the last message of the file that descends from it, itself included. */
  const lastMessages: number[] = [];

  return {
    add(record) {
      const index = parents.length;
      const { uuid, parentUuid } = record;
      const parent = (typeof parentUuid === "string" ? indexes.get(parentUuid) : none) ?? none;
      const last = lastLines[parent] ?? none;
      const line = last === none ? 0 : isSaid(record) ? last + 1 : last;
      if (parent !== none) lastLines[parent] = line;
      parents.push(parent);
      lines.push(line);
      lastLines.push(none);
      lastMessages.push(isMessage(record) ? index : none);
      if (typeof uuid === "string") indexes.set(uuid, index);
    },
    abandoned() {
      // From the end, so that a record is complete before it counts for its parent.
      const active = new Map<number, { line: number; message: number }>();
      for (let index = parents.length - 1; index >= 0; index -= 1) {
        const parent = parents[index] ?? none;
        const message = lastMessages[index] ?? none;
        if (parent === none) continue;
        lastMessages[parent] = Math.max(lastMessages[parent] ?? none, message);
        if (lastLines[parent] === 0) continue;
        const best = active.get(parent);
        if (best === undefined || message > best.message) {
          active.set(parent, { line: lines[index] ?? 0, message });
        }
      }
      const abandoned = new Set<number>();
      for (const [index, parent] of parents.entries()) {
        const line = active.get(parent)?.line ?? 0;
        const isOther = parent !== none && active.has(parent) && lines[index] !== line;
        if (isOther || abandoned.has(parent)) abandoned.add(index);
      }
      return abandoned;
    },
  };
}
