import { describe, expect, it } from "vitest";
import type { SessionInfo } from "../../src/index.ts";
import type { Store } from "../context.ts";
import { boundRun, sharedMemory } from "../testing/captured-run.ts";

const { store, schemes } = sharedMemory();
const ckpt = boundRun(schemes);
await store.append("old", [{ n: 1 }]);
await store.append("new\n\u001b[2J", [{ n: 1 }, { n: 2 }]);

describe("ckpt ls", () => {
  it("prints head, last change and id, most recent change first", async () => {
    const { code, out } = await ckpt(["ls"]);
    expect(code).toBe(0);
    const [first, second, rest] = out.split("\n");
    const time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  just now      ";
    expect(first).toMatch(new RegExp(`^       2  ${time}  "new\\\\n\\\\u001b\\[2J"$`));
    expect(second).toMatch(new RegExp(`^       1  ${time}  old$`));
    expect(rest).toBe("");
  });

  it("prints JSON, an object a line", async () => {
    const lines = (await ckpt(["ls", "--json"])).out.trimEnd().split("\n");
    const infos = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(infos).toMatchObject([
      { id: "new\n\u001b[2J", head: 2, damaged: false },
      { id: "old", head: 1, damaged: false },
    ]);
    const [info] = await store.list();
    expect(infos[0]).toMatchObject({
      mtime: info?.mtime,
      time: new Date(info?.mtime ?? 0).toISOString(),
    });
  });

  it("keeps to a prefix and a limit", async () => {
    expect((await ckpt(["ls", "--prefix", "ol"])).out).toMatch(/^.* old\n$/);
    expect((await ckpt(["ls", "--limit", "1"])).out).toMatch(/^.*new.*\n$/);
    expect((await ckpt(["ls", "--limit", "0"])).out).toBe("");
  });

  it("marks a damaged session and survives a time that is none", async () => {
    const info: SessionInfo = { id: "x", head: 0, mtime: 1e300, damaged: true };
    const open = async (): Promise<Store> => ({
      ...store,
      close: async () => undefined,
      list: async () => [info],
    });
    const run = boundRun({ ...schemes, memory: { ...schemes["memory"]!, open } });
    expect((await run(["ls"])).out).toMatch(/^ {7}0 {2}- .* x damaged\n$/);
    expect(JSON.parse((await run(["ls", "--json"])).out)).toMatchObject({
      time: null,
      damaged: true,
    });
  });

  it("reads a long list page by page", async () => {
    const many = sharedMemory();
    for (let n = 0; n < 2001; n += 1) await many.store.append(`s${n}`, [{ n }]);
    const { out } = await boundRun(many.schemes)(["ls"]);
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ").at(-1));
    expect(new Set(ids).size).toBe(2001);
    expect(ids).toHaveLength(2001);
  });
});
