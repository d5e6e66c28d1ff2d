/**
 * Goal: nobody makes a log unreadable by mistake. Method: handles that cannot read the last record of
 * a log append to it, on every adapter; they are refused with the code that a read would give, and
 * the log stays as it was.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "./fixtures.ts";
import { right, strangers } from "./strangers.ts";
import {
  tamperedDatabase,
  tamperedFiles,
  tamperedMemory,
  type TamperedStore,
} from "./tampered-store.ts";

const events = [{ n: 1 }, { n: 2 }, { n: 3 }];

describe.each([
  ["memory", tamperedMemory],
  ["file", tamperedFiles],
  ["sqlite", tamperedDatabase],
] as const)("%s", (_name, create) => {
  let store: TamperedStore;

  beforeEach(() => void (store = create()));
  afterEach(() => store.dispose());

  test.each(strangers)(
    "append() with %s is refused behind a sealed record",
    async (...stranger) => {
      const [, codec, code] = stranger;
      await store.open(right).append("s", events);
      const before = store.fingerprint();
      const handle = store.open(codec);
      for (const options of [undefined, { expectedHead: 3 }, { idempotencyKey: "once" }]) {
        const error = await failureOf(() => handle.append("s", [{ n: 4 }], options));
        expect(error).toMatchObject({ code });
      }
      expect(store.fingerprint()).toBe(before);
    },
  );

  test.each(strangers.filter(([, codec]) => codec !== undefined))(
    "append() with %s is refused when somebody else has made the session anew",
    async (...stranger) => {
      const [, codec, code] = stranger;
      const handle = store.open(codec);
      await handle.append("s", events);
      const owner = store.open(right);
      await owner.delete("s");
      await owner.append("s", events);
      const before = store.fingerprint();
      for (const options of [undefined, { expectedHead: 3 }]) {
        const error = await failureOf(() => handle.append("s", [{ n: 4 }], options));
        expect(error).toMatchObject({ code });
      }
      expect(store.fingerprint()).toBe(before);
      // Its own log again, so that one refusal does not last for ever.
      await owner.delete("s");
      expect(await handle.append("s", [{ n: 1 }])).toBe(1);
    },
  );

  test("append() with a codec is refused behind a plain record", async () => {
    await store.open(undefined).append("s", events);
    const before = store.fingerprint();
    const error = await failureOf(() => store.open(right).append("s", [{ n: 4 }]));
    expect(error).toMatchObject({ code: "PLAINTEXT_IN_SEALED_LOG" });
    expect(store.fingerprint()).toBe(before);
  });

  test("append() with a codec is refused behind a record that was changed", async () => {
    const owner = store.open(right);
    await owner.append("s", events);
    const log = store.records("s");
    const ts = new Date(Date.parse(log[2]!.ts) + 1).toISOString();
    store.replace("s", [log[0]!, log[1]!, { ...log[2]!, ts }]);
    const before = store.fingerprint();
    const error = await failureOf(() => store.open(right).append("s", [{ n: 4 }]));
    expect(error).toMatchObject({ code: "AUTH_FAILED", seq: 3 });
    expect(store.fingerprint()).toBe(before);
  });
});
