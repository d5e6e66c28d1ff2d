import { create, inOneMillisecond, walk } from "../list-helpers.ts";
import type { ListOptions } from "../../src/index.ts";
import { sequence, infoOf } from "../session-state.ts";
import type { Properties } from "../property.ts";

const garbage: readonly unknown[] = [
  null,
  1,
  "prefix",
  [],
  ...[-1, NaN, 1.5, 2 ** 53, null, "1"].map((limit) => ({ limit })),
  ...[1, null, {}, ["a"]].map((prefix) => ({ prefix })),
  ...[null, 1, "a", [], {}, { id: "a" }, { mtime: 1 }].map((cursor) => ({ cursor })),
  ...[
    { id: 1, mtime: 1 },
    { id: "a", mtime: "1" },
    { id: "a", mtime: NaN },
  ].map((cursor) => ({
    cursor,
  })),
];

/** That pages of the list join up. */
export const listPageProperties: Properties = [
  {
    id: "L1",
    group: "list page",
    level: "L1",
    requires: ["listPage"],
    statement: "Walking the pages gives the whole list",
    reason: "A picker that pages must be able to reach everything",
    cases: [
      {
        name: "list() in pages equals the whole list, also where times are close",
        run: ({ open, check }) =>
          inOneMillisecond(async () => {
            const handle = await open();
            const whole = await create(
              handle,
              sequence(1, 11).map((n) => `${n % 2 === 0 ? "even" : "odd"}-${n}`),
            );
            for (const limit of [1, 2, 3, 5, 11, 12]) {
              const pages = await walk(check, handle, { limit });
              check.equal(pages, await handle.list());
              check.equal(
                pages.map((info) => info.id),
                whole,
              );
              const even = await walk(check, handle, { limit, prefix: "even" });
              check.equal(
                even.map((info) => info.id),
                whole.filter((one) => one.startsWith("ev")),
              );
            }
            check.equal(await handle.list({ limit: 0 }), []);
          }),
      },
      {
        name: "list() takes a prefix literally",
        async run({ open, check }) {
          const handle = await open();
          const ids = ["a%b", "a_b", "axb", "a", "A", "\u{1f600}", "\u{1f601}", "\\", "a*", "[a]"];
          const whole = await create(handle, ids);
          const prefixes = [
            "",
            "a",
            "a%",
            "a_",
            "A",
            "a%b",
            "a%bc",
            "\u{1f600}",
            "\ud83d",
            "\\",
            "[",
          ];
          for (const prefix of prefixes) {
            const wanted = whole.filter((one) => one.startsWith(prefix));
            check.equal(
              (await handle.list({ prefix })).map((one) => one.id),
              wanted,
            );
          }
        },
      },
      {
        name: "list() refuses garbage in its options",
        async run({ open, check }) {
          const handle = await open();
          await create(handle, ["a"]);
          for (const options of garbage) {
            await check.refuses(handle.list(options as ListOptions), JSON.stringify(options));
          }
        },
      },
    ],
  },
  {
    id: "L2",
    group: "list page",
    level: "L1",
    requires: ["listPage"],
    statement: "A cursor is a place between sessions, also where times are equal",
    reason: "205 rows in, 204 out",
    reports: ["mastra-ai/mastra#24237"],
    cases: [
      {
        name: "list() takes a cursor as a place, between sessions of one time too",
        async run({ open, check }) {
          const handle = await open();
          await create(handle, ["a", "m", "z"]);
          const middle = await infoOf(handle, "m");
          const after = async (cursorId: string) =>
            (await handle.list({ cursor: { id: cursorId, mtime: middle.mtime } })).map(
              (one) => one.id,
            );
          check.equal(await after(""), ["m", "a"]);
          check.equal(await after("l"), ["m", "a"]);
          check.equal(await after("m"), ["a"]);
          check.equal(await after("n"), ["a"]);
          const first = await handle.list({ limit: 1 });
          await handle.delete("z");
          check.equal(await handle.list({ cursor: first[0] }), await handle.list());
        },
      },
    ],
  },
];
