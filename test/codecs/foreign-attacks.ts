import { keyRing, secretKey, type KeyInput } from "../../codecs/index.ts";
import { compress } from "../../codecs/index.ts";
import type { ErrorCode, StoredRecord } from "../../src/index.ts";
import { withBytes, withRecord, type Attack, type Forgery } from "./attack.ts";
import { disabledKey, sealings, unknownKey, type Scene } from "./attack-scene.ts";
import { bytesOf, fromHex, placeOf, secondKey } from "./fixtures.ts";

/** Attacks that put what was never sealed, or sealed in another way, in the place of a record. */
export async function foreignAttacks(scene: Scene): Promise<Attack[]> {
  return [
    ...plaintext(scene),
    { name: "a compressed record that is not sealed", forgeries: compressedOnly(scene) },
    { name: "a record of another suite or pipeline", forgeries: await otherSealings(scene) },
    { name: "a record of another namespace", forgeries: await otherNamespace(scene) },
    { name: "a record without a chain", forgeries: await unchained(scene) },
    { name: "a record of a key unknown or disabled", forgeries: await otherKeys(scene) },
    { name: "the id of another key", forgeries: await otherIds(scene) },
    { name: "another timestamp", forgeries: otherTimes(scene) },
  ];
}

function everySeq(
  { log }: Scene,
  forge: (record: StoredRecord, text: string) => Forgery | readonly Forgery[],
): Forgery[] {
  return log.flatMap((record) => forge(record, `{"name":"forged ${record.seq}"}`));
}

function plaintext(scene: Scene): Attack[] {
  const code = "PLAINTEXT_IN_SEALED_LOG";
  const all = (payload: string | Uint8Array): Forgery => ({
    records: scene.log.map((record) => ({ ...record, payload })),
    code,
  });
  const texts = ['{"name":"A1"}', "{}", "", "null", "\u{10ffff}"];
  return [
    {
      name: "plaintext in the place of a record",
      forgeries: everySeq(scene, ({ seq }, text) => [
        { records: withRecord(scene, seq, { payload: text }), code },
        { records: withRecord(scene, seq, { payload: bytesOf(text) }), code },
      ]),
    },
    {
      name: "plaintext in the place of the log",
      forgeries: texts.flatMap((text) =>
        // What is no JSON text of an object is none of what a store may hold as text.
        text.startsWith("{") ? [all(text), all(bytesOf(text))] : [all(bytesOf(text))],
      ),
    },
  ];
}

function compressedOnly(scene: Scene): Forgery[] {
  const unchecked = compress().place?.({
    pipeline: "",
    before: [],
    after: [sealings[0]!.create()],
  });
  return everySeq(scene, ({ seq }, text) =>
    [compress(), unchecked!].map((codec) => ({
      records: withRecord(scene, seq, {
        payload: codec.encode(bytesOf(text), placeOf()) as Uint8Array,
      }),
      code: "PLAINTEXT_IN_SEALED_LOG",
    })),
  );
}

async function resealed(
  scene: Scene,
  codec: Parameters<Scene["sealAgain"]>[1],
  code: ErrorCode,
): Promise<Forgery[]> {
  return Promise.all(
    scene.log.map(async ({ seq }) => ({
      records: withRecord(scene, seq, { payload: await scene.sealAgain(seq, codec) }),
      code,
    })),
  );
}

async function otherSealings(scene: Scene): Promise<Forgery[]> {
  const { name } = scene.sealing;
  const others = sealings.filter((sealing) => sealing.name !== name);
  const forgeries = await Promise.all(
    others.map((other) => {
      const sameSuite = name !== "xchacha" && other.name !== "xchacha";
      return resealed(scene, other.create(), sameSuite ? "WRONG_KEY" : "UNSUPPORTED_FORMAT");
    }),
  );
  return forgeries.flat();
}

async function otherNamespace(scene: Scene): Promise<Forgery[]> {
  return resealed(scene, scene.sealing.create({ namespace: "other" }), "WRONG_KEY");
}

async function unchained(scene: Scene): Promise<Forgery[]> {
  return resealed(scene, scene.sealing.create({ chain: false }), "UNSUPPORTED_FORMAT");
}

async function otherKeys(scene: Scene): Promise<Forgery[]> {
  const sealedBy = (key: Uint8Array, code: ErrorCode): Promise<Forgery[]> =>
    resealed(scene, scene.sealing.create({ keys: keyRing({ primary: key }) }), code);
  const unknown = await sealedBy(unknownKey, "KEY_UNKNOWN");
  return [...unknown, ...(await sealedBy(disabledKey, "KEY_DISABLED"))];
}

async function otherIds(scene: Scene): Promise<Forgery[]> {
  const ids = await Promise.all(
    (
      [
        [secondKey, "WRONG_KEY"],
        [disabledKey, "KEY_DISABLED"],
        [unknownKey, "KEY_UNKNOWN"],
      ] as ReadonlyArray<readonly [KeyInput, ErrorCode]>
    ).map(async ([key, code]) => [(await secretKey(key)).id, code] as const),
  );
  return scene.log.flatMap(({ seq }) =>
    ids.map(([id, code]) => ({
      records: withBytes(scene, seq, (bytes) => {
        const copy = Uint8Array.from(bytes);
        copy.set(fromHex(id), 4);
        return copy;
      }),
      code,
    })),
  );
}

function otherTimes(scene: Scene): Forgery[] {
  return everySeq(scene, ({ seq, ts }) =>
    [1, -1, 86_400_000, -Date.parse(ts)].map((ms) => ({
      records: withRecord(scene, seq, { ts: new Date(Date.parse(ts) + ms).toISOString() }),
      code: "AUTH_FAILED",
    })),
  );
}
