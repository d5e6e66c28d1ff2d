/** Goal: logs of other programs, whose events only have the same names, can be gone on with. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import type { EventObject } from "../src/index.ts";
import { createLiteAgent, extractiveCompactor, scriptedModel } from "./index.ts";

const said = { type: "user", content: "Said before.", origin: "input" };

const foreign: readonly EventObject[] = [
  { type: "user", message: { role: "user", content: "Hello" }, uuid: "1" },
  { type: "user", content: 5 },
  { type: "user", content: [null, { text: "x" }] },
  { type: "assistant", message: { content: [{ type: "text", text: "Hi" }] } },
  { type: "assistant", content: [[]] },
  { type: "tool_started", callId: 1, name: "x" },
  { type: "tool_result", output: "x" },
  // Taken as one of the kit's, it would hide everything that was said before.
  { type: "summary", summary: "A talk", leafUuid: "2" },
  { type: "file_snapshot", snapshot: {} },
  { type: "file_snapshot", path: "a", before: { state: "text", mode: 420 }, afterHash: null },
  { type: "background_started" },
  { type: "background_completed", taskId: {} },
  { type: "permission_decision" },
  { type: "restore_started" },
  {
    type: "restore_started",
    targetSeq: 1,
    files: true,
    conversation: true,
    firstSnapshotSeq: 1,
    branchId: null,
    keep: true,
    workId: "../../up",
  },
  { type: "restored" },
  { type: "constructor" },
  { role: "user", content: "no type" },
];

it.each(foreign.map((event) => [JSON.stringify(event), event] as const))(
  "a session with %s is gone on with, and its other events still count",
  async (_name, event) => {
    const workdir = mkdtempSync(join(tmpdir(), "agent-foreign-"));
    try {
      const store = memoryCheckpointer<EventObject>();
      await store.append("s", [said, event]);
      const agent = createLiteAgent({
        model: scriptedModel([{ text: "Yes." }]),
        modelName: "scripted",
        workdir,
        checkpointer: store as never,
        compactor: extractiveCompactor(),
      });
      await agent.resume("s");
      await agent.send("Go on");
      const heard = JSON.stringify(await agent.messages());
      for (const text of ["Said before.", "Go on", "Yes."]) expect(heard).toContain(text);
      const checkpoints = await agent.listCheckpoints("s");
      expect(checkpoints.map(({ prompt }) => prompt)).toEqual(["Said before.", "Go on"]);
      expect((await agent.restore("s", checkpoints[1]?.seq ?? 0)).restoredFiles).toEqual([]);
      for await (const { phase } of agent.compact()) expect(phase).not.toBe("error");
    } finally {
      rmSync(workdir, { recursive: true });
    }
  },
);
