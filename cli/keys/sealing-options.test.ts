import { describe, expect, it } from "vitest";
import { capturedRun, sharedMemory } from "../testing/captured-run.ts";
import { planSealing, type SealingOptions } from "./sealing-options.ts";

describe("planSealing()", () => {
  it("seals with compression and AES-GCM when there is a key, and not at all without", () => {
    expect(planSealing({ keyFile: "k" })).toMatchObject({
      keyFile: "k",
      codec: "compress+aes-gcm",
    });
    const plain = { keyFile: null, codec: null, keyStore: null, anchor: null };
    for (const options of [{}, { keyFile: "none" }])
      expect(planSealing(options)).toMatchObject(plain);
  });

  it.each([
    [{ keyFile: "" }, "--key-file: wanted a path or none, met nothing"],
    [{ codec: "aes-gcm" }, "--codec aes-gcm: wanted a key"],
    [{ codec: "gzip" }, '--codec: wanted .*, aes-gcm, .*; met "gzip"'],
    [{ keyFile: "k", codec: "aes-gcm+compress" }, "--codec: wanted"],
    [{ keyFile: "k", codec: "compress" }, "--codec compress encrypts nothing"],
    [{ keyStore: "file:k" }, "--key-store: wanted a key to wrap with"],
    [
      { keyFile: "k", keyStore: "memory:" },
      "--key-store: wanted file:<directory>, sqlite:<file>, postgres://",
    ],
    [{ keyFile: "k", keyStore: "file:" }, "--key-store: wanted file:<directory>"],
    [{ anchor: "a" }, "--anchor: wanted sealed records"],
    [{ keyFile: "k", anchor: "" }, "--anchor: wanted <directory>"],
    [{ keyFile: "none", password: true }, "--password: wanted a key file with a vault"],
  ] satisfies [SealingOptions, string][])("refuses %j", (options, message) => {
    expect(() => planSealing(options)).toThrow(new RegExp(message));
  });
});

describe("the options", () => {
  it("stand before or after the command, and win over the environment", async () => {
    const { schemes } = sharedMemory();
    const env = { CHECKPOINTER_STORE: "memory:", CHECKPOINTER_KEY_FILE: "/nope/env.key" };
    for (const [words, message] of [
      [["ls"], "/nope/env.key"],
      [["ls", "--key-file", "/nope/mine.key"], "/nope/mine.key"],
      [["--key-file=/nope/mine.key", "ls"], "/nope/mine.key"],
    ] as const) {
      const { errors } = await capturedRun(words, { schemes, env });
      expect(errors).toBe(`ckpt: Cannot read key file ${message}: no such file or directory\n`);
    }
    const none = await capturedRun(["ls", "--key-file", "none"], { schemes, env });
    expect(none).toMatchObject({ code: 0, errors: "" });
  });

  it("come from the environment, all but what --key-file none makes meaningless", async () => {
    const { schemes } = sharedMemory();
    const env = {
      CHECKPOINTER_STORE: "memory:",
      CHECKPOINTER_KEY_STORE: "file:keys",
      CHECKPOINTER_CODEC: "xchacha",
      CHECKPOINTER_ANCHOR: "anchor",
    };
    const keyless = await capturedRun(["ls"], { schemes, env });
    expect(keyless.errors).toBe("ckpt: --codec xchacha: wanted a key, name it with --key-file\n");
    const none = await capturedRun(["ls", "--key-file", "none"], { schemes, env });
    expect(none).toMatchObject({ code: 0, errors: "" });
    const wrong = { ...env, CHECKPOINTER_KEY_FILE: "k", CHECKPOINTER_CODEC: "gzip" };
    const { errors } = await capturedRun(["ls"], { schemes, env: wrong });
    expect(errors).toContain('met "gzip"');
  });

  it("never repeat a key that was typed in place of a file", async () => {
    const key = `${"Ab0".repeat(14)}A=`;
    const env = { CHECKPOINTER_STORE: "memory:" };
    for (const words of [
      ["ls", "--key-file", key],
      ["ls", `--key=${key}`],
      ["ls", "--codec", key],
      [`frobnicate-${key}`],
      ["rotate", "--key-file", key],
    ]) {
      const { code, out, errors } = await capturedRun(words, { env });
      expect(code).not.toBe(0);
      expect(out + errors).not.toContain(key);
    }
  });
});
