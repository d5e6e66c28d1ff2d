import { expect, test } from "vitest";
import { loadDriver } from "./load-driver.ts";

test("a missing driver is named in one sentence that says what to do", () => {
  const missing = (): never => {
    throw new Error("Cannot find module 'pg'");
  };
  expect(() => loadDriver(missing)).toThrow(
    expect.objectContaining({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(/install pg/),
    }),
  );
});
