import { serverFixture, withConnection } from "./server-fixture.js";

/** @returns {Promise<import("checkpointer-kit/conformance").Fixture>} */
export async function createFixture() {
  const fixture = await serverFixture("minimal");
  return {
    ...fixture,
    // Its handles have no `capabilities`, so the fixture says what they promise.
    manifest: { concurrency: "host", durability: "power" },
    damage: (sessionId, seq, kind) =>
      withConnection(fixture.address, async (call) => {
        const { value } = await call("get", `session:${sessionId}`);
        const log = `log:${value.log}`;
        const step = kind === "remove" ? ["drop", log, seq] : ["put", log, seq, "?"];
        await call("exec", [], [step]);
      }),
  };
}
