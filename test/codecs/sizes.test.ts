/**
 * Goal: what sealing and compressing cost and gain on real transcripts is known, and does not get
 * worse unnoticed. Method: every record of the shared sample sessions is stored plain, compressed,
 * sealed, and both; counted are the bytes of the payloads and of the file store's lines.
 */
import { expect, test } from "vitest";
import { encodeRecord } from "../../adapters/file/record-line.ts";
import { aesGcm, compress, pipeline, xchacha } from "../../codecs/index.ts";
import type { Codec } from "../../src/index.ts";
import { sampleFiles } from "../real-data/sample-files.ts";
import { bytesOf, firstRing, placeOf } from "./fixtures.ts";

const keys = firstRing;
const codecs: Record<string, Codec | null> = {
  plain: null,
  compressed: compress(),
  "compressed, no dictionary": compress({ dictionary: "none" }),
  sealed: aesGcm({ keys }),
  "compressed and sealed": pipeline(compress(), aesGcm({ keys })),
  "the same, not padded": pipeline(compress(), aesGcm({ keys, pad: "none" })),
  "compressed and sealed, xchacha": pipeline(compress(), xchacha({ keys })),
};

const samples = sampleFiles();

test.skipIf(samples === null)(
  "sample sessions take the space that the table says",
  () => {
    const texts = (samples ?? []).flatMap(({ records }) =>
      (records ?? [])
        .filter((record) => typeof record === "object" && record !== null && !Array.isArray(record))
        .map((record) => JSON.stringify(record)),
    );
    const totals = new Map<string, { payload: number; line: number }>();
    for (const [name, codec] of Object.entries(codecs)) {
      const total = { payload: 0, line: 0 };
      for (const text of texts) {
        const bytes = bytesOf(text);
        const place = placeOf({ seq: 2, previous: new Uint8Array(16) });
        const payload = codec === null ? text : (codec.encode(bytes, place) as Uint8Array);
        total.payload += typeof payload === "string" ? bytes.length : payload.length;
        total.line += encodeRecord({ seq: 2, ts: place.ts, left: 0, payload }).length;
      }
      totals.set(name, total);
    }
    const plain = totals.get("plain")!;
    const share = (bytes: number, of: number): string => `${((bytes / of) * 100).toFixed(1)} %`;
    const rows = [...totals].map(([name, { payload, line }]) =>
      [
        name,
        `${payload} bytes`,
        share(payload, plain.payload),
        `${line} bytes in lines`,
        share(line, plain.line),
      ].join(" | "),
    );
    console.log([`${texts.length} records of ${samples?.length} files`, ...rows].join("\n"));

    const part = (name: string): number => totals.get(name)!.payload / plain.payload;
    expect(part("compressed")).toBeLessThan(part("compressed, no dictionary"));
    expect(part("compressed")).toBeLessThan(0.6);
    expect(part("compressed and sealed")).toBeLessThan(part("the same, not padded") * 1.12);
  },
  300_000,
);
