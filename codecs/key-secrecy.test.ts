// Goal: no key, password or event gets into anything that is thrown or printed, whatever the store,
// the wrapper or the vault does. Method: everything secret is collected, every failure is printed
// in every way there is, and the one is looked for in the other.

import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { CheckpointError, type SessionKeyStore } from "../src/index.ts";
import { failureOf } from "../test/codecs/fixtures.ts";
import {
  createKeyRoom,
  kek,
  logRooms,
  readAll,
  say,
  watchedStore,
} from "../test/codecs/session-key-fixtures.ts";
import {
  changePassword,
  createPasswordVault,
  generateKey,
  keyRing,
  localWrapper,
  memoryKeyStore,
  openPasswordVault,
  password,
  secretKey,
  sessionKeys,
  type KeyWrapper,
} from "./index.ts";

/** Everything that must not be seen, raw and as it might be spelled. */
interface Secrets {
  add(secret: Uint8Array | string): void;
  expectHidden(value: unknown): void;
}

function collectSecrets(): Secrets {
  const spelled = new Set<string>();
  return {
    add(secret) {
      const bytes = Buffer.from(secret);
      const texts = (["latin1", "hex", "base64", "base64url"] as const).map((encoding) =>
        bytes.toString(encoding).replace(/=+$/, ""),
      );
      for (const text of [...texts, [...bytes].join(",")]) spelled.add(withoutSpaces(text));
    },
    expectHidden(value) {
      const seen = withoutSpaces(print(value));
      for (const secret of spelled) {
        // Not as an argument of expect(), which would print it.
        if (seen.includes(secret)) throw new Error(`${secret.length} secret characters are in it`);
      }
    },
  };
}

/** Also makes a list of numbers out of an array that is spelled as an object. */
function withoutSpaces(text: string): string {
  return text.replace(/"\d+":/g, "").replace(/\s/g, "");
}

/** A value in every way that it could end up in a log. */
function print(value: unknown): string {
  const parts = [
    inspect(value, { depth: null, showHidden: true, maxArrayLength: null }),
    inspect(value, { depth: null, showHidden: true, customInspect: false, maxArrayLength: null }),
    String(value),
    JSON.stringify(value) ?? "",
    JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(Object(value)))),
  ];
  if (value instanceof Error) {
    parts.push(value.message, value.stack ?? "", value.name);
    if (value.cause !== undefined) parts.push(print(value.cause));
  }
  return parts.join("\n").replaceAll("\\n", "\n");
}

/** Errors with a secret in a place that somebody might look at or pass on. */
const hostile: ReadonlyArray<readonly [string, (secret: string) => unknown]> = [
  ["in the message", (secret) => new Error(`bad key ${secret}`)],
  ["in the name", (secret) => Object.assign(new Error("bad"), { name: secret })],
  ["in the stack", (secret) => Object.assign(new Error("bad"), { stack: secret })],
  ["in the cause", (secret) => new Error("bad", { cause: new Error(secret) })],
  ["in a property", (secret) => Object.assign(new Error("bad"), { request: { key: secret } })],
  ["in the code", (secret) => Object.assign(new Error("bad"), { code: secret })],
  ["in an error of the kit", (secret) => new CheckpointError("WRONG_KEY", secret)],
  [
    "in the cause of an error of the kit",
    (secret) => new CheckpointError("KEY_UNAVAILABLE", "bad", { cause: secret }),
  ],
  ["in an unknown code of the kit", (secret) => new CheckpointError(secret as "CLOSED", secret)],
  ["as a string", (secret) => secret],
  ["as an object", (secret) => ({ secret })],
  [
    "behind a getter that throws",
    (secret) =>
      Object.defineProperties(new Error("bad"), {
        code: {
          get() {
            throw new Error(secret);
          },
        },
        retryable: { value: true },
      }),
  ],
];

const eventText = "an event that nobody else may read";

describe.each(hostile)("an error with a secret %s stays with its thrower:", (_name, fail) => {
  test.each(["get", "add", "wrap", "unwrap", "replace", "shred", "revive"] as const)(
    "%s",
    async (failing) => {
      const secrets = collectSecrets();
      for (const number of [1, 2]) secrets.add(kek(number));
      secrets.add(eventText);
      const inner = localWrapper({ key: kek(1) });
      const seen: Uint8Array[] = [];
      let broken = false;
      const wrapper: KeyWrapper = {
        id: inner.id,
        async wrap(key, context) {
          seen.push(key.slice());
          secrets.add(key);
          if (broken && failing === "wrap") throw fail(Buffer.from(key).toString("hex"));
          return inner.wrap(key, context);
        },
        async unwrap(wrapped, context) {
          const key = await inner.unwrap(wrapped, context);
          secrets.add(key);
          if (broken && failing === "unwrap") throw fail(Buffer.from(key).toString("base64"));
          return key;
        },
      };
      const room = createKeyRoom();
      const wrapped = room.open({ wrapper });
      const { id } = await wrapped.current("s", 1);
      const secret = Buffer.from(seen[0]!).toString("base64url");
      const store: SessionKeyStore = watchedStore(room.store, {
        calls: [],
        count: () => 0,
        before(name) {
          if (broken && name === failing) throw fail(secret) as Error;
        },
      });
      const reported: unknown[] = [];
      const source = sessionKeys({
        store,
        wrapper: failing === "replace" ? localWrapper({ key: kek(2) }) : wrapper,
        wrappers: failing === "replace" ? [wrapper] : [],
        onFailure: ({ error }) => void reported.push(error),
      });
      broken = true;
      const log = logRooms[0]!.create().open(source);
      const uses: ReadonlyArray<() => unknown> = [
        () => source.current("s", 1),
        () => source.current("t", 1),
        () => source.current("s", 2),
        () => source.find("s", id),
        () => source.find("s", "nonsense"),
        () => source.renew("s"),
        () => source.rewrap(),
        () => log.append("s", [say(eventText)]),
        () => readAll(log, "s"),
        () => source.shred("s"),
        () => source.revive("s"),
      ];
      let failures = 0;
      for (const use of uses) {
        const outcome = await Promise.resolve()
          .then(use)
          .catch((error: unknown) => error);
        // What a log says is for its reader.
        if (!Array.isArray(outcome)) secrets.expectHidden(outcome);
        if (!(outcome instanceof Error)) continue;
        failures += 1;
        expect(outcome).toHaveProperty("code");
        expect(outcome.cause).toBeUndefined();
      }
      expect(failures).toBeGreaterThan(0);
      // The owner's own log gets it as it is.
      expect(reported.length).toBeGreaterThan(0);
      secrets.expectHidden(source);
    },
  );
});

test("nothing that holds a key shows it", async () => {
  const secrets = collectSecrets();
  const text = generateKey();
  secrets.add(Buffer.from(text, "base64"));
  const phrase = "correct horse battery staple";
  secrets.add(phrase);
  const vault = await createPasswordVault(phrase, { cost: { name: "argon2id" } });
  const wrapper = localWrapper({ key: text });
  const source = sessionKeys({ store: memoryKeyStore(), wrapper });
  const unlocked = password({ vault, password: phrase });
  const holders = [
    await secretKey(text),
    keyRing({ primary: text }),
    wrapper,
    source,
    await source.current("s", 1),
    memoryKeyStore(),
    unlocked,
    await unlocked.current("s", 1),
    await openPasswordVault({ vault, password: phrase }),
    vault,
  ];
  for (const holder of holders) {
    secrets.expectHidden(holder);
    secrets.expectHidden({ holder });
  }
  await source.close();
});

test("no error about a password tells it", async () => {
  const secrets = collectSecrets();
  const [right, wrong] = ["correct horse battery staple", "incorrect horse battery staple"];
  for (const phrase of [right, wrong]) secrets.add(phrase);
  const vault = await createPasswordVault(right, { cost: { name: "argon2id" } });
  const uses: ReadonlyArray<() => unknown> = [
    () => openPasswordVault({ vault, password: wrong }),
    () => openPasswordVault({ vault: `${vault}x`, password: right }),
    () => openPasswordVault({ vault: wrong, password: right }),
    () => openPasswordVault({ vault, password: `${right}\n` }),
    () => changePassword({ vault, password: wrong, newPassword: right }),
    () => changePassword({ vault, password: right, newPassword: `${wrong}\n` }),
    () => createPasswordVault(`${right}\u0000`),
    () => createPasswordVault(right.repeat(1_000)),
    () => password({ vault, password: wrong }).current("s", 1),
    () => password({ vault, password: `${wrong}\n` }),
    () => localWrapper({ key: right }),
    () => keyRing({ primary: wrong }),
  ];
  for (const use of uses) secrets.expectHidden(await failureOf(use));
});

test("the collector of secrets finds them where they are", () => {
  const secrets = collectSecrets();
  secrets.add(kek(7));
  const holders: unknown[] = [
    new Error(Buffer.from(kek(7)).toString("base64")),
    new Error("x", { cause: { key: Buffer.from(kek(7)).toString("hex") } }),
    { key: kek(7) },
    Object.assign(new Error("x"), { key: [...kek(7)] }),
  ];
  for (const holder of holders) expect(() => secrets.expectHidden(holder)).toThrow("are in it");
});
