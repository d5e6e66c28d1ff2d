import { hardEvents } from "../json-values.ts";
import { pseudoRandom } from "./pseudo-random.ts";
import { bytesOf } from "./sealed-record.ts";

/** Three events of an agent, none like another. */
export const someEvents: readonly [Uint8Array, Uint8Array, Uint8Array] = [
  bytesOf('{"type":"user","content":"Why is the build red?"}'),
  bytesOf(`{"type":"tool_result","callId":"call_1","output":"${"line\\n".repeat(8)}"}`),
  bytesOf('{"type":"assistant","content":"The date test fails. I fixed the time zone."}'),
];

const mebibyte = 1_048_576;

/**
 * Bytes that codecs have been known to lose, by name.
 *
 * @param most - leaves out what is longer
 */
export function hardPayloads(
  seed: number,
  most: number,
): ReadonlyArray<readonly [name: string, bytes: Uint8Array]> {
  const every: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["no bytes", new Uint8Array(0)],
    ["an empty object", bytesOf("{}")],
    ["every byte", Uint8Array.from({ length: 256 }, (_, value) => value)],
    // Around the sizes of blocks, tags and length fields.
    ...[1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 65_535, 65_536].map(
      (length) => [`${length} random bytes`, pseudoRandom(seed + length, length)] as const,
    ),
    ["10,000 zeros", new Uint8Array(10_000)],
    ["1 MiB of random bytes", pseudoRandom(seed, mebibyte)],
    ["1 MiB of one character", bytesOf("a".repeat(mebibyte))],
    ...hardEvents.map(([name, event]) => [name, bytesOf(JSON.stringify(event))] as const),
  ];
  return every.filter(([, bytes]) => bytes.length <= most);
}
