import type { LiteAgent } from "../../agent/index.ts";
import type { Context, Store } from "../context.ts";
import type { ChatLines } from "./chat-lines.ts";
import type { Transcript } from "./transcript.ts";

/** A chat as its commands see it. */
export interface Chat {
  readonly context: Context;
  readonly store: Store;
  readonly agent: LiteAgent;
  readonly lines: ChatLines;
  readonly transcript: Transcript;
  /** Ids of sessions that are known to be in the store: a new one is not until its first prompt. */
  readonly stored: Set<string>;
}
