import { createCipheriv, randomBytes } from "node:crypto";
import { join } from "node:path";
import { sqliteCheckpointer } from "../../../adapters/sqlite/index.ts";
import { aesGcm, compress, keyRing, pipeline } from "../../../codecs/index.ts";
import type { Codec } from "../../../src/index.ts";
import { agentEvents } from "../agent-events.ts";
import { appendOneByOne } from "../fill.ts";
import type { Workload } from "../workload.ts";

const events = agentEvents(50);
const operations = events.length;
const key = randomBytes(32);
const keys = keyRing({ primary: key });

/** One append, awaited, with codecs beside the same without. */
export const sealedAppend: Workload = {
  name: "sealed-append",
  async prepare(folder) {
    const open = (name: string, codec?: Codec) =>
      sqliteCheckpointer({ file: join(folder, `${name}.db`), codec });
    const plain = open("plain");
    const sealed = open("sealed", pipeline(aesGcm({ keys })));
    const both = open("both", pipeline(compress(), aesGcm({ keys })));
    return {
      contestants: [
        { name: "plain", operations, run: () => appendOneByOne(plain, "s", events) },
        { name: "sealed", operations, run: () => appendOneByOne(sealed, "s", events) },
        { name: "both", operations, run: () => appendOneByOne(both, "s", events) },
      ],
      comparisons: [
        {
          what: "SQLite NORMAL, append 1: AES-GCM / plain",
          subject: "sealed",
          floor: "plain",
          goal: { atMost: 1.2 },
        },
        {
          what: "SQLite NORMAL, append 1: compress + AES-GCM / plain",
          subject: "both",
          floor: "plain",
          goal: { atMost: 1.6 },
        },
      ],
      async close() {
        for (const checkpointer of [plain, sealed, both]) await checkpointer.close();
      },
    };
  },
};

const texts = events.map((event) => Buffer.from(JSON.stringify(event)));
/** Records in one run; a handful takes too little time for the clock. */
const seals = 20 * texts.length;
const cipherOptions = { authTagLength: 16 };

/** What `aesGcm` does to the bytes of an event beside the cipher alone; no store. */
export const seal: Workload = {
  name: "seal",
  async prepare() {
    const codec = aesGcm({ keys });
    const ts = new Date(0).toISOString();
    const nonce = randomBytes(12);
    return {
      contestants: [
        {
          name: "codec",
          operations: seals,
          run() {
            let previous: Uint8Array | null = null;
            for (let seq = 1; seq <= seals; seq += 1) {
              const text = texts[seq % texts.length] as Buffer;
              // Synchronous in Node.js; a promise would fail the next record's `previous`.
              previous = codec.encode(text, { sessionId: "s", seq, ts, previous }) as Uint8Array;
            }
          },
        },
        { name: "cipher", operations: seals, run: () => sealBare(() => nonce) },
        { name: "cipher, nonce", operations: seals, run: () => sealBare(() => randomBytes(12)) },
      ],
      comparisons: [
        {
          what: "AES-GCM codec, seal 1 / createCipheriv with one nonce for all",
          subject: "codec",
          floor: "cipher",
          goal: { atMost: 1.6 },
        },
        {
          what: "the same / createCipheriv with randomBytes(12) for each",
          subject: "codec",
          floor: "cipher, nonce",
        },
      ],
      close: async () => undefined,
    };
  },
};

/** The least that makes a nonce, a ciphertext and a tag one array. */
function sealBare(nextNonce: () => Uint8Array): void {
  for (let seq = 1; seq <= seals; seq += 1) {
    const nonce = nextNonce();
    const cipher = createCipheriv("aes-256-gcm", key, nonce, cipherOptions);
    const body = cipher.update(texts[seq % texts.length] as Buffer);
    cipher.final();
    Buffer.concat([nonce, body, cipher.getAuthTag()]);
  }
}
