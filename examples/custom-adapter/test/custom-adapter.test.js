import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createCheckpointer, isCheckpointError } from "checkpointer-kit";
import { compress } from "checkpointer-kit/codecs";
import { nodeTestConformance } from "checkpointer-kit/conformance";
import { createFixture } from "../fixture.js";
import { createFixture as createMinimalFixture } from "../minimal-fixture.js";
import { serverFixture } from "../server-fixture.js";
import { minikvStore } from "../store.js";

describe("minikv conforms", () => {
  nodeTestConformance(createFixture, { describe, test }, { effort: 0.2 });
});

describe("minimal conforms", () => {
  nodeTestConformance(createMinimalFixture, { describe, test }, { effort: 0.2 });
});

describe("what the suite does not look at", () => {
  test("minikvStore() keeps what a codec made", async () => {
    const { address, dispose } = await serverFixture("minikv");
    const checkpointer = createCheckpointer(minikvStore({ address }), { codec: compress() });
    const event = { text: "again ".repeat(1_000) };
    await checkpointer.append("s", [event]);
    for await (const stored of checkpointer.read("s")) assert.deepEqual(stored.event, event);
    await checkpointer.close();
    await dispose();
  });

  test("append() says OUTCOME_UNKNOWN or IO_FAILED when the server dies, and works after a restart", async () => {
    const fixture = await serverFixture("minikv");
    const checkpointer = await fixture.open();
    await checkpointer.append("s", [{ n: 1 }]);
    const [failed, reopened] = await Promise.all([
      checkpointer.append("s", [{ n: 2 }]).then(
        () => null,
        (error) => error,
      ),
      fixture.reopen(),
    ]);
    const known = ["OUTCOME_UNKNOWN", "IO_FAILED"];
    assert.ok(failed === null || known.some((code) => isCheckpointError(failed, code)), failed);
    const head = await checkpointer.head("s");
    assert.ok(head === 2 || (head === 1 && failed !== null), `head ${head}`);
    assert.equal(await checkpointer.append("s", [{ n: 3 }]), head + 1);
    await checkpointer.close();
    await reopened.close();
    await fixture.dispose();
  });
});
