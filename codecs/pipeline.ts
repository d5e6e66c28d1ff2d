import type { Codec, CodecContext } from "../src/index.ts";

/**
 * Several codecs as one: encode runs left to right, decode right to left. Synchronous stages stay
 * synchronous.
 *
 * @throws TypeError for no stages, a stage after an encrypting one, or the same stage twice: what was
 * encrypted neither shrinks nor needs encrypting again
 */
export function pipeline(...stages: readonly Codec[]): Codec {
  if (stages.length === 0) throw new TypeError("pipeline: wanted at least one stage, met none");
  const ids = stages.map(({ id }) => id);
  stages.forEach((stage, index) => {
    const before = stages[index - 1];
    if (before?.kind === "aead") {
      throw new TypeError(`pipeline: ${stage.id} cannot stand after ${before.id}, which encrypts`);
    }
    if (ids.indexOf(stage.id) !== index) throw new TypeError(`pipeline: ${stage.id} stands twice`);
  });
  const id = ids.join("+");
  const placed = stages.map(
    (stage, index) =>
      stage.place?.({
        pipeline: id,
        before: stages.slice(0, index),
        after: stages.slice(index + 1),
      }) ?? stage,
  );
  const reversed = placed.toReversed();
  const last = placed.at(-1);
  return Object.freeze({
    id,
    kind: last?.kind ?? "transform",
    encode: (bytes: Uint8Array, context: CodecContext) =>
      chain(placed, "encode", bytes, context, 0),
    decode: (bytes: Uint8Array, context: CodecContext) =>
      chain(reversed, "decode", bytes, context, 0),
    isCurrent: (bytes: Uint8Array, sessionId: string) =>
      last?.isCurrent?.(bytes, sessionId) ?? false,
  });
}

function chain(
  stages: readonly Codec[],
  step: "encode" | "decode",
  bytes: Uint8Array,
  context: CodecContext,
  first: number,
): Uint8Array | Promise<Uint8Array> {
  let current = bytes;
  for (let index = first; index < stages.length; index += 1) {
    const next = (stages[index] as Codec)[step](current, context);
    if (!(next instanceof Uint8Array)) {
      return next.then((value) => chain(stages, step, value, context, index + 1));
    }
    current = next;
  }
  return current;
}
