import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { readAll } from "../../test/store-changes.ts";
import { cleanUp, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

async function startChild(): Promise<ChildProcess> {
  // Compiled by the global setup of the tests, since the oldest supported Node runs no TypeScript.
  const entry = new URL("../../dist/adapters/sqlite/index.js", import.meta.url).href;
  const child = fork(fileURLToPath(new URL("testing/child.mjs", import.meta.url)), [entry]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

async function run(child: ChildProcess, task: object): Promise<unknown> {
  const answer = once(child, "message");
  child.send(task);
  const [message] = (await answer) as unknown[];
  return message;
}

test("8 processes open a new database at the same moment, and all of them can write", async () => {
  const children = await Promise.all(Array.from({ length: 8 }, startChild));
  for (let round = 0; round < 5; round += 1) {
    const file = temporaryFile();
    const count = 10;
    const answers = await Promise.all(
      children.map((child, id) => run(child, { task: "append", file, id, count })),
    );
    expect(answers).toEqual(children.map(() => ({ done: true })));
    const store = openStore({ file });
    const seqs = (await readAll(store, "shared")).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 8 * count }, (_, index) => index + 1));
    for (const id of children.keys()) {
      expect(await store.head(`own-${id}`)).toMatchObject({ seq: count });
    }
    expect(await store.checkIntegrity()).toMatchObject({ ok: true });
    await store.close();
  }
});

test("an open handle does not keep its process alive", async () => {
  const file = temporaryFile();
  const child = await startChild();
  const exited = once(child, "exit");
  expect(await run(child, { task: "leaveOpen", file })).toEqual({ done: true });
  expect(await exited).toEqual([0, null]);
  expect(await readAll(openStore({ file }), "a")).toHaveLength(1);
});
