import { expect, test } from "vitest";
import { resolveOptions, type PostgresStoreOptions } from "./postgres-options.ts";

const connectionString = "postgres://u:secret@h/d";

test.each([
  [{}, TypeError],
  [{ connectionString, pool: { connect: async () => ({}) } }, TypeError],
  [{ connectionString: 5 }, TypeError],
  [{ connectionString: "postgres://u:secret@[" }, TypeError],
  [{ connectionString: "mysql://u:secret@h/d" }, TypeError],
  [{ connectionString, schema: "" }, RangeError],
  [{ connectionString, schema: "x".repeat(64) }, RangeError],
  [{ connectionString, schema: "a\0b" }, RangeError],
  [{ connectionString, hosts: ["a:b:c"] }, RangeError],
  [{ connectionString, hosts: ["h:70000"] }, RangeError],
  [{ connectionString, hosts: ["u:secret@h"] }, RangeError],
  [{ connectionString, maxConnections: 0 }, RangeError],
  [{ connectionString, busyTimeoutMs: Number.NaN }, RangeError],
  [{ connectionString, outageTimeoutMs: "1" }, TypeError],
  [{ connectionString, notify: "yes" }, TypeError],
])("refuses %o without repeating it", (options, kind) => {
  const resolving = (): unknown => resolveOptions(options as PostgresStoreOptions);
  expect(resolving).toThrow(kind);
  expect(resolving).not.toThrow(/secret/);
});

test.each([
  "postgres://",
  "postgres:///d",
  "postgresql://u@/d?host=/run/postgresql",
  "postgres://u:p@h:5433/d?sslmode=verify-full",
])("takes %s", (text) => {
  expect(resolveOptions({ connectionString: text }).connectionString).toBe(text);
});

test("takes hosts with and without a port", () => {
  const { hosts } = resolveOptions({ connectionString, hosts: ["a", "b:5433", "[::1]:5434"] });
  expect(hosts).toEqual([
    { host: "a", port: undefined },
    { host: "b", port: 5433 },
    { host: "::1", port: 5434 },
  ]);
});
