import { expect, test } from "vitest";
import { loadDriver } from "./load-driver.ts";

function failing(code: string): () => never {
  return () => {
    throw Object.assign(new Error("not there"), { code });
  };
}

test.each(["MODULE_NOT_FOUND", "ERR_DLOPEN_FAILED"])(
  "loadDriver() says what to install when the driver fails with %s",
  (code) => {
    const expected = {
      code: "NOT_SUPPORTED",
      message: expect.stringContaining("npm install better-sqlite3"),
      cause: expect.objectContaining({ code }),
    };
    expect(() => loadDriver(failing(code))).toThrow(expect.objectContaining(expected));
  },
);

test("loadDriver() opens databases with the driver that is installed", () => {
  const database = loadDriver()(":memory:", {});
  expect(database.prepare("SELECT 1").pluck().get()).toBe(1);
  database.close();
});
