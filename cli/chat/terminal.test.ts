/**
 * Goal: a person at a terminal can talk, go back, compact, cancel and go on later. Method: the real program in a real
 * pseudo terminal, typed at as a person does, with a scripted model.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicEvents } from "../../agent/testing/vendor-events.ts";
import { startVendorServer } from "../../agent/testing/vendor-server.ts";
import { startTerminal, whyNoTerminal, type Terminal } from "../testing/terminal.ts";

const missing = whyNoTerminal();
if (missing !== null) console.log(`chat in a terminal: skipped, ${missing}`);

const ctrlC = "\u0003";
const ctrlD = "\u0004";
const up = "\u001b[A";

const call = (name: string, input: object): object => ({ toolCalls: [{ name, input }] });
const edits = [
  call("write_file", { path: "notes.txt", content: "one\n" }),
  { text: "Written." },
  call("edit_file", { path: "notes.txt", old_string: "one", new_string: "two" }),
  { text: "Edited." },
  call("delete_file", { path: "old.txt" }),
  { text: "Removed." },
];

let folder: string;
const file = (name: string): string => readFileSync(join(folder, "work", name), "utf8");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ckpt-chat-"));
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work", "old.txt"), "old\n");
});

afterEach(() => rmSync(folder, { recursive: true }));

function chat(steps: readonly object[], ...words: string[]): Terminal {
  writeFileSync(join(folder, "script.json"), JSON.stringify(steps));
  const command = ["chat", "--scripted", "script.json", "--workdir", "work", ...words];
  return startTerminal(command, folder);
}

describe.skipIf(missing !== null)("ckpt chat in a terminal", () => {
  it("changes files, goes back, forward, compacts, and goes on in another process", async () => {
    const first = chat(edits, "--store", "file:store");
    await first.until("/help lists the commands.");
    for (const [prompt, done] of [
      ["Write notes", "write_file notes.txt  ok\nWritten."],
      ["Edit them", "edit_file notes.txt  ok\nEdited."],
      ["Remove the old ones", "delete_file old.txt  ok\nRemoved."],
    ] as const) {
      await first.until("> ");
      first.type(`${prompt}\r`);
      await first.until(done);
    }
    expect(file("notes.txt")).toBe("two\n");
    expect(existsSync(join(folder, "work", "old.txt"))).toBe(false);

    first.type("/checkpoints\r");
    const listed = await first.until("Not covered");
    const seqs = [...listed.matchAll(/^ +(\d+) {2}\d{4}-/gm)].map(([, seq]) => seq);
    expect(seqs).toHaveLength(3);
    expect(listed).toMatch(/Edit them\n +would put back notes\.txt, old\.txt\n/);

    first.type(`/restore ${seqs[1]}\r`);
    const told = await first.until("Not covered");
    expect(told).toContain("files         put back notes.txt, old.txt\n");
    const [, branch = "", seq = ""] =
      /forward again +\/resume (\S+), then \/restore (\d+)/.exec(told) ?? [];
    expect(told).toContain(`cut; what was cut off is the branch ${branch}\n`);
    expect([file("notes.txt"), file("old.txt")]).toEqual(["one\n", "old\n"]);

    first.type(`/resume ${branch}\r`);
    expect(await first.until("Removed.")).toContain("> Remove the old ones\n");
    first.type(`/restore ${seq}\r`);
    await first.until("Not covered");
    expect(file("notes.txt")).toBe("two\n");
    expect(existsSync(join(folder, "work", "old.txt"))).toBe(false);

    first.type("/compact names of files\r");
    expect(await first.until("Every checkpoint stays.")).toMatch(/Summarized: \d+ tokens \(est/);
    await first.until("> ");
    first.type(ctrlD);
    const [, id] = /--resume (\S+) goes on here/.exec(await first.until("goes on here")) ?? [];
    expect({ id, code: await first.ended }).toEqual({ id: branch, code: 0 });

    const again = chat([{ text: "Still here." }], "--store", "file:store", "--resume", branch);
    const shown = await again.until("(what came before was summarized)");
    expect(shown).toContain("> Write notes\n  write_file notes.txt  ok\nWritten.\n> Edit them\n");
    await again.until("> ");
    again.type(`${up}${up}\r`);
    await again.until("Still here.");
    expect(await again.until("> ")).not.toContain("ckpt:");
    again.type("/exit\r");
    expect(await again.ended).toBe(0);
    expect(again.sent()).toContain("Edit them");
  });

  it("Ctrl-C stops a turn that runs and keeps the chat; twice leaves with 130", async () => {
    const endless = { text: "word ".repeat(400_000) };
    const terminal = chat([endless, { text: "Fresh." }, endless], "--store", "file:store");
    await terminal.until("> ");
    terminal.type("Talk\r");
    await terminal.until("word word");
    terminal.type(`typed meanwhile\r${ctrlC}`);
    await terminal.until("(cancelled: what was done so far stays)\n");
    await terminal.until("> ");
    terminal.type("Again\r");
    await terminal.until("Fresh.");
    await terminal.until("> ");
    terminal.type(`half a line${ctrlC}`);
    terminal.type("And again\r");
    await terminal.until("word word");
    terminal.type(ctrlC + ctrlC);
    await terminal.until("goes on here.");
    expect(await terminal.ended).toBe(130);
    const [log = ""] = readdirSync(join(folder, "store"));
    const prompts = readFileSync(join(folder, "store", log), "utf8").match(/"type":"user".{30}/g);
    expect(prompts).toHaveLength(3);
    for (const [index, prompt] of ["Talk", "Again", "And again"].entries()) {
      expect(prompts?.[index]).toContain(`:"${prompt}"`);
    }
  });

  it("Ctrl-C stops a compaction, and the conversation is as it was", async () => {
    const server = await startVendorServer();
    try {
      server.answer({ pieces: anthropicEvents({ text: "Hello." }) }, "silence");
      const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url };
      const terminal = startTerminal(["chat", "--workdir", "work"], folder, env);
      await terminal.until("> ");
      terminal.type("Hi\r");
      await terminal.until("Hello.");
      await terminal.until("> ");
      terminal.type("/compact\r");
      await terminal.until("compacting: summarize");
      await expect.poll(() => server.requests.length).toBe(2);
      terminal.type(ctrlC);
      await terminal.until("(cancelled: the conversation is as it was)\n");
      await terminal.until("> ");
      server.answer({ pieces: anthropicEvents({ text: "Fine." }) });
      terminal.type("And now?\r");
      await terminal.until("Fine.");
      const { messages } = JSON.parse(server.requests.at(-1)?.body ?? "") as {
        messages: { content: { text: string }[] }[];
      };
      const texts = messages.map(({ content }) => content.map(({ text }) => text).join());
      expect(texts).toEqual(["Hi", "Hello.", "And now?"]);
      await terminal.until("> ");
      terminal.type("/exit\r");
      expect(await terminal.ended).toBe(0);
    } finally {
      await server.close();
    }
  });

  it("Ctrl-C at an empty line asks first, and a failure is one line and no end", async () => {
    writeFileSync(join(folder, "script.json"), "[]");
    const words = ["chat", "--scripted", "script.json", "--workdir", "work"];
    const terminal = startTerminal(words, folder, { NO_COLOR: "1" });
    await terminal.until("> ");
    terminal.type("Hello\r");
    expect(await terminal.until("(MODEL_FAILED)\n")).toContain("ckpt: scripted: step 1 was wanted");
    await terminal.until("> ");
    terminal.type("/frob\r");
    await terminal.until("ckpt: No command /frob; /help lists them\n");
    terminal.type(ctrlC);
    await terminal.until("(Ctrl-C again or Ctrl-D leaves)");
    terminal.type(ctrlC);
    expect(await terminal.ended).toBe(130);
    for (const colour of [1, 2, 31]) expect(terminal.sent()).not.toContain(`\u001b[${colour}m`);
  });
});
