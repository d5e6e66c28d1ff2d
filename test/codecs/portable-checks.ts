import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { defaultDeflate, fflateDeflate } from "../../codecs/deflate.ts";
import { aesGcm, compress, generateKey, keyRing, pipeline, xchacha } from "../../codecs/index.ts";
import type { AesGcmOptions } from "../../codecs/index.ts";
import type { Codec } from "../../src/index.ts";
import { checkGolden, type Golden, type Implementations } from "./golden.ts";

/** What the codecs do on a platform. */
export interface PortableReport {
  /** Implementations there are, the default ones first. */
  readonly backends: readonly string[];
  readonly deflates: readonly string[];
  /** Whether `aesGcm()` is synchronous by default. */
  readonly synchronous: boolean;
  readonly checks: number;
  readonly faults: readonly string[];
}

/** The checks that run on every platform: in Node.js, Bun, Deno and browsers. */
export async function portableChecks(goldens: readonly Golden[]): Promise<PortableReport> {
  const here = implementations();
  const faults: string[] = [];
  let checks = 0;
  for (const golden of goldens) {
    const result = await checkGolden(golden, here);
    checks += result.checks;
    faults.push(...result.faults);
  }
  const keys = keyRing({ primary: generateKey() });
  const codecs: Codec[] = [
    pipeline(compress(), aesGcm({ keys })),
    pipeline(compress(), xchacha({ keys })),
    ...here.backends.map((backend) => aesGcm({ keys, backend })),
    ...here.deflates.map((deflate) => compress({ deflate })),
  ];
  for (const codec of codecs) {
    for (const check of [checkSession, checkChanges]) {
      checks += 1;
      const fault = await check(codec).catch(String);
      if (fault !== null) faults.push(`${codec.id}: ${fault}`);
    }
  }
  const record = aesGcm({ keys }).encode(new Uint8Array(0), placeOf(1, null));
  return {
    backends: here.backends,
    deflates: here.deflates.map(({ id }) => id),
    synchronous: record instanceof Uint8Array,
    checks,
    faults,
  };
}

function implementations(): Implementations {
  const keys = keyRing({ primary: new Uint8Array(32) });
  const all: ReadonlyArray<NonNullable<AesGcmOptions["backend"]>> = ["node", "webcrypto", "noble"];
  const backends = all.filter((backend) => {
    try {
      return aesGcm({ keys, backend }).id === "aes-gcm";
    } catch {
      return false;
    }
  });
  const deflate = defaultDeflate();
  return { backends, deflates: deflate.id === "fflate" ? [deflate] : [deflate, fflateDeflate] };
}

/** A session comes back as it was; returns what is wrong. */
async function checkSession(codec: Codec): Promise<string | null> {
  const checkpointer = memoryCheckpointer<object>({ codec });
  const events = Array.from({ length: 50 }, (_, n) => ({
    type: "tool_result",
    callId: `call_${n}`,
    output: "grüße 🌍 ".repeat(n * n),
  }));
  await checkpointer.append("s", events.slice(0, 20));
  await checkpointer.append("s", events.slice(20));
  await checkpointer.fork("s", 50, "copy");
  for (const id of ["s", "copy"]) {
    const read: object[] = [];
    for await (const { event } of checkpointer.read(id)) read.push(event);
    if (JSON.stringify(read) !== JSON.stringify(events)) return `${id} reads other events`;
  }
  await checkpointer.close();
  return null;
}

/** A record that is changed, cut or moved is refused; returns what is accepted. */
async function checkChanges(codec: Codec): Promise<string | null> {
  const content = new TextEncoder().encode('{"type":"user","content":"hello hello hello"}');
  const first = await codec.encode(content, placeOf(1, null));
  const record = await codec.encode(content, placeOf(2, first));
  const changes = Array.from(record, (byte, index) => {
    const changed = record.slice();
    changed[index] = byte ^ 0x10;
    return changed;
  });
  for (const bytes of [...changes, record.slice(0, -1), Uint8Array.of(...record, 0)]) {
    if (await isRead(codec, bytes, 2, first)) return `a change of ${bytes.length} bytes is read`;
  }
  const moved = codec.kind === "aead" && (await isRead(codec, record, 3, first));
  return moved ? "a moved record is read" : null;
}

async function isRead(
  codec: Codec,
  bytes: Uint8Array,
  seq: number,
  previous: Uint8Array,
): Promise<boolean> {
  try {
    await codec.decode(bytes, placeOf(seq, previous));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "CodecError") return false;
    throw error;
  }
}

function placeOf(seq: number, previous: Uint8Array | null): Parameters<Codec["encode"]>[1] {
  return { sessionId: "session", seq, ts: "2026-01-31T12:00:00.000Z", previous };
}
