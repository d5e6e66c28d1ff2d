/** Every limit of the session layer, with its reason. */
export interface AgentLimits {
  /**
   * Bytes of a file up to which its content is kept in a snapshot. As base64 that is 11 MiB, under the 16 MiB
   * an event may have; sources and most assets fit, build products do not.
   */
  readonly maxSnapshotBytes: number;
  /** Bytes of a file that a tool reads or changes: it is in memory twice then. */
  readonly maxToolFileBytes: number;
  /** Characters of snapshots in one append of a restore: bounds its memory. */
  readonly snapshotBatchCharacters: number;
  /** Requests to the model in one turn; a model that still calls tools then is going in circles. */
  readonly maxSteps: number;
  /** Tokens a model may write in one answer unless the options say otherwise: what every current model allows. */
  readonly maxTokens: number;
  /** Characters `read_file` returns at most: about 50,000 tokens, a quarter of a common context window. */
  readonly maxReadCharacters: number;
  /** Characters of one tool's output that a compaction shows the summarizing model. */
  readonly summaryToolCharacters: number;
  /** Characters that count as one token where nobody measured: OpenAI's and Anthropic's own rule of thumb. */
  readonly charactersPerToken: number;
}

/** The values of {@link AgentLimits}. */
export const agentLimits: AgentLimits = Object.freeze({
  maxSnapshotBytes: 8 * 1024 * 1024,
  maxToolFileBytes: 64 * 1024 * 1024,
  snapshotBatchCharacters: 8 * 1024 * 1024,
  maxSteps: 200,
  maxTokens: 8_192,
  maxReadCharacters: 200_000,
  summaryToolCharacters: 2_000,
  charactersPerToken: 4,
});
