import { expect, it } from "vitest";
import { memoryCheckpointer } from "../../adapters/memory/index.ts";
import { listCheckpoints } from "./list-checkpoints.ts";

it("listCheckpoints() of a session that went back to its first prompt is empty, and of none rejects", async () => {
  const store = memoryCheckpointer();
  await store.append("s", [{ type: "user", content: "Hi", origin: "input" }]);
  await store.truncate("s", 0);
  expect(await listCheckpoints(store, "s")).toEqual([]);
  await expect(listCheckpoints(store, "t")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});
