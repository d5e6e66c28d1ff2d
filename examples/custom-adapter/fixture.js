import { createCheckpointer } from "checkpointer-kit";
import { pacedStore } from "checkpointer-kit/conformance";
import { serverFixture, withConnection } from "./server-fixture.js";
import { minikvStore } from "./store.js";

/** @returns {Promise<import("checkpointer-kit/conformance").Fixture>} */
export async function createFixture() {
  const fixture = await serverFixture("minikv");
  const { address } = fixture;
  return {
    ...fixture,
    openPaced: (pace) => createCheckpointer(pacedStore(minikvStore({ address }), pace)),
    damage: (sessionId, seq, kind) =>
      withConnection(address, async (call) => {
        const { value } = await call("get", `session:${sessionId}`);
        const log = `log:${value.generation}`;
        const step = kind === "remove" ? ["drop", log, seq] : ["put", log, seq, "?"];
        await call("exec", [], [step]);
      }),
  };
}
