/**
 * Goal: a chat in a pipe: what it prints, what it keeps and where, what it refuses. The terminal has its own test in
 * `cli/chat`.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileCheckpointer } from "../../adapters/file/index.ts";
import { anthropicEvents } from "../../agent/testing/vendor-events.ts";
import { startVendorServer } from "../../agent/testing/vendor-server.ts";
import { generateKey } from "../../codecs/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { capturedRun, type CapturedRun, type CaptureOptions } from "../testing/captured-run.ts";

let folder: string;
const path = (name: string): string => join(folder, name);
const work = (name: string): string => join(folder, "work", name);
const read = (name: string): string => readFileSync(work(name), "utf8");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ckpt-chat-"));
  mkdirSync(work(""));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const write = (content: string): object => ({
  toolCalls: [{ name: "write_file", input: { path: "notes.txt", content } }],
});
const edits = [write("one\n"), { text: "One." }, write("two\n"), { text: "Two." }];

/** Runs a chat with a script, and gives its session's id. */
async function chat(
  steps: readonly object[],
  lines: readonly string[],
  { words = [], ...options }: CaptureOptions & { readonly words?: readonly string[] } = {},
): Promise<CapturedRun & { readonly id: string }> {
  writeFileSync(path("script.json"), JSON.stringify(steps));
  const command = ["chat", "--scripted", path("script.json"), "--workdir", work(""), ...words];
  const env = { CHECKPOINTER_STORE: `file:${path("store")}` };
  const stdin = lines.map((line) => `${line}\n`).join("");
  const run = await capturedRun(command, { stdin, env, ...options });
  return { ...run, id: /--resume (\S+) goes on here/.exec(run.out)?.[1] ?? "" };
}

describe("ckpt chat in a pipe", () => {
  it("runs one line after the other and prints plain text", async () => {
    const { code, out, errors, id } = await chat(edits, ["Write one", "", "Write two"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out).toBe(
      "  write_file notes.txt  ok\nOne.\n  write_file notes.txt  ok\nTwo.\n" +
        `ckpt chat --resume ${id} goes on here.\n`,
    );
    expect(read("notes.txt")).toBe("two\n");
  });

  it("ends with the first line that fails, and runs none behind it", async () => {
    const { code, out, errors } = await chat(edits, ["Write one", "/restore 2", "Write two"]);
    expect({ code, errors }).toEqual({
      code: exitCodes.failed,
      errors: "ckpt: No checkpoint 2; /checkpoints lists them\n",
    });
    expect(out).not.toContain("Two.");
    expect(read("notes.txt")).toBe("one\n");
  });

  it("goes on with a session in another process, where a restore still works", async () => {
    const { id } = await chat(edits, ["Write one", "Write two"]);
    const words = ["--resume", id];
    const { code, out } = await chat([], ["/checkpoints", "/restore 7", "/sessions"], { words });
    expect(code).toBe(0);
    expect(out).toMatch(/^ {4}1 {2}.*Z {2}Write one\n +would put back notes.txt\n {4}7 {2}/);
    expect(out).toMatch(/files +put back notes\.txt\n +conversation +cut; what was cut off is/);
    expect(read("notes.txt")).toBe("one\n");
    // The branch is a session, too.
    expect(out).toMatch(new RegExp(`^\\* ${id} .*\\n {4}Write one\\n {2}${id}~`, "m"));
  });

  it("--conversation-only and --files-only say what they leave alone", async () => {
    const { id } = await chat(edits, ["Write one", "Write two"]);
    const words = ["--resume", id];
    const files = await chat([], ["/restore 7 --files-only"], { words });
    expect(files.out).toContain("conversation  not touched (--files-only)\n");
    expect(read("notes.txt")).toBe("one\n");
    const [, forward = ""] = /forward again +(\/restore \d+ --files-only)/.exec(files.out) ?? [];
    expect((await chat([], [forward], { words })).code).toBe(0);
    expect(read("notes.txt")).toBe("two\n");
    const conversation = await chat([], ["/restore 7 --conversation-only"], { words });
    expect(conversation.out).toContain("files         not touched (--conversation-only)\n");
    expect(conversation.out).toMatch(/forward again \/resume \S+\n/);
    expect(read("notes.txt")).toBe("two\n");
  });

  it("a file that somebody else changed is named with the way to overwrite it", async () => {
    const { id } = await chat(edits, ["Write one", "Write two"]);
    writeFileSync(work("notes.txt"), "mine\n");
    const words = ["--resume", id];
    const refused = await chat([], ["/restore 7"], { words });
    expect(refused.code).toBe(exitCodes.failed);
    expect(refused.out).toContain("  notes.txt: somebody else changed it since\n");
    expect(refused.errors).toMatch(/^ckpt: Nothing was .*; \/restore 7 --force overwrites that\n$/);
    expect(read("notes.txt")).toBe("mine\n");
    expect((await chat([], ["/restore 7 --force"], { words })).code).toBe(0);
    expect(read("notes.txt")).toBe("one\n");
  });

  it("a restore that was interrupted is finished by force, when files were changed since", async () => {
    const { id } = await chat(edits, ["Write one", "Write two"]);
    const store = fileCheckpointer({ dir: path("store") });
    await store.append(id, [
      {
        type: "restore_started",
        targetSeq: 7,
        files: true,
        conversation: true,
        firstSnapshotSeq: (await store.head(id)) + 1,
        branchId: null,
        keep: true,
        workId: "work",
      },
    ]);
    await store.close();
    writeFileSync(work("notes.txt"), "mine\n");
    const command = `/resume ${id} --force`;
    for (const refused of [
      await chat([], ["Hi"], { words: ["--resume", id] }),
      await chat([], [`/resume ${id}`]),
    ]) {
      expect(refused.code).toBe(exitCodes.failed);
      expect(refused.errors).toContain(`${command} overwrites that\n`);
      expect(read("notes.txt")).toBe("mine\n");
    }
    const { code, out } = await chat([{ text: "Here." }], [command, "Where are you?"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^This is just before 7 again:\n[^]*Here\.\nckpt chat --resume /);
    expect(out).toContain(`--resume ${id} goes on here.`);
    expect(read("notes.txt")).toBe("one\n");
  });

  it("compacts once, and begins another session with /clear", async () => {
    const lines = ["/compact", "Write one", "/compact keep names", "/compact", "/clear", "Go on"];
    const { code, out } = await chat(edits.slice(0, 3), lines);
    expect(out).toMatch(
      /^Nothing new to summarize: 0 tokens \(estimated\)\.\n.*\nOne\.\nSummarized: .*\nNothing new/,
    );
    expect(out).toMatch(/A new session: (\S+)\n[^]*--resume \1 goes on here/);
    // The script is used up behind the tool call.
    expect(code).toBe(exitCodes.failed);
  });

  it("an interrupt ends a turn with 130, and the session can go on", async () => {
    const controller = new AbortController();
    const steps = [{ text: "word ".repeat(10_000) }];
    const onOutput = (out: string): void => {
      if (out.startsWith("word word")) controller.abort();
    };
    const { code, id, errors } = await chat(steps, ["Talk"], {
      onOutput,
      signal: controller.signal,
    });
    expect({ code, errors }).toEqual({ code: exitCodes.interrupted, errors: "" });
    const again = await chat([{ text: "Again." }], ["Go on"], { words: ["--resume", id] });
    expect(again.out).toMatch(/^Again\.\n/);
  });
});

describe("the sessions of ckpt chat", () => {
  it("are by default files of their owner's alone, a folder for each directory", async () => {
    vi.stubEnv("XDG_DATA_HOME", path("data"));
    const { code, id } = await chat(edits, ["Write one"], { env: {} });
    expect(code).toBe(0);
    const kit = path("data/checkpointer-kit");
    const [project = "", ...others] = readdirSync(kit);
    expect(others).toEqual([]);
    expect(project).toMatch(/^work-[0-9a-f]{16}$/);
    const modes = ["", project, `${project}/${id}.jsonl`].map((name) => {
      return (statSync(join(kit, name)).mode & 0o777).toString(8);
    });
    expect(modes).toEqual(["700", "700", "600"]);
  });

  it("are sealed like those of any other command, the contents of files included", async () => {
    writeFileSync(path("k.key"), `${generateKey()}\n`, { mode: 0o600 });
    const words = ["--key-file", path("k.key")];
    const secrets = [write("canary-in-file\n"), { text: "canary-in-answer" }, write("x"), {}];
    const { code, id } = await chat(secrets, ["canary-in-prompt", "Again"], { words });
    expect(code).toBe(0);
    const stored = readdirSync(path("store")).map((name) => readFileSync(path(`store/${name}`)));
    for (const bytes of stored) expect(bytes.includes("canary")).toBe(false);
    const resumed = await chat([], ["/restore 7"], { words: [...words, "--resume", id] });
    expect(resumed.code).toBe(0);
    expect(read("notes.txt")).toBe("canary-in-file\n");
    const plain = await chat([], ["Hi"], { words: ["--resume", id] });
    expect(plain.code).toBe(exitCodes.damaged);
    expect(plain.errors).toMatch(/^ckpt: .*\(SEALED_IN_PLAIN_LOG\)\n$/);
  });
});

describe("ckpt chat says in one line what it cannot do:", () => {
  it.each([
    [[], {}, 1, "No model to talk to: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or talk to a"],
    [["--model", "openai/x"], { ANTHROPIC_API_KEY: "k" }, 1, "openai wants a key: set OPENAI_API"],
    [["--model", "gpt"], {}, 2, '--model: wanted anthropic/<name> or openai/<name>, met "gpt"'],
    [["--model", "a/b", "--scripted", "f"], {}, 2, "--scripted is a model of its own"],
    [["--scripted", "nowhere.json"], {}, 1, "Cannot read nowhere.json: no such file or directory"],
    [["--scripted", "package.json"], {}, 1, /^Cannot read the script: .*\(SCRIPT_INVALID\)/],
    [["--json"], {}, 2, "chat has no --json; ckpt show --json has its sessions"],
    [["--store", ""], { ANTHROPIC_API_KEY: "k" }, 2, "Name a store"],
    [["--workdir", "nowhere"], { ANTHROPIC_API_KEY: "k" }, 1, "Cannot work in nowhere: no such"],
  ])("%j", async (words, env, expected, message) => {
    const { code, out, errors } = await capturedRun(["chat", ...words], { env });
    expect({ code, out }).toEqual({ code: expected, out: "" });
    expect(errors).toMatch(/^ckpt: .*\n$/);
    if (typeof message === "string") expect(errors).toContain(message);
    else expect(errors.slice("ckpt: ".length)).toMatch(message);
  });

  it("a session or a store that is not there, and makes neither", async () => {
    const words = ["--resume", "nobody"];
    const none = await chat([], ["Hi"], { words });
    expect(none.errors).toBe(`ckpt: No store at file:${path("store")}\n`);
    mkdirSync(path("store"));
    const unknown = await chat([], ["Hi"], { words });
    expect(unknown).toMatchObject({ code: exitCodes.failed, out: "" });
    expect(unknown.errors).toBe('ckpt: No session "nobody" (SESSION_UNKNOWN)\n');
    expect(readdirSync(path("store"))).toEqual([]);
  });
});

describe("a vendor's model", () => {
  it("is the one whose key is in the environment, and the key is told to nobody else", async () => {
    const server = await startVendorServer();
    try {
      server.answer({ pieces: anthropicEvents({ text: "Hello." }) });
      server.answer({ status: 401, body: "{}" });
      const key = "canary-key-4711";
      const env = {
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: server.url,
        CHECKPOINTER_STORE: `file:${path("store")}`,
      };
      const stdin = "Hi\nHi again\n";
      const words = ["chat", "--workdir", work("")];
      const { code, out, errors } = await capturedRun(words, { env, stdin });
      expect(out).toMatch(/^Hello\.\n/);
      expect(code).toBe(exitCodes.failed);
      expect(errors).toMatch(/^ckpt: anthropic: .*\(MODEL_FAILED\)\n$/);
      expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
      const [log = ""] = readdirSync(path("store"));
      const kept = readFileSync(path(`store/${log}`), "utf8");
      for (const text of [out, errors, kept]) expect(text).not.toContain(key);
    } finally {
      await server.close();
    }
  });
});
