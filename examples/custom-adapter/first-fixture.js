import { serverFixture } from "./server-fixture.js";

/** Certified it is not; that is what it is here for. */
export function createFixture() {
  return serverFixture("first");
}
