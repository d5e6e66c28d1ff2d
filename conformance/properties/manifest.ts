import { id, numbered, readAll, type Handle } from "../session-state.ts";
import { collect } from "../collect.ts";
import type { OptionalCapability } from "../manifest.ts";
import type { Properties } from "../property.ts";

/** Whether nothing in a value can be changed. */
function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}

/** One use of each capability, on a session of three events. */
const uses: ReadonlyArray<{
  readonly capability: OptionalCapability;
  readonly use: (handle: Handle) => Promise<unknown>;
}> = [
  { capability: "range", use: (handle) => readAll(handle, id, { limit: 1, reverse: true }) },
  { capability: "headToken", use: (handle) => handle.headToken(id) },
  { capability: "listPage", use: (handle) => handle.list({ limit: 1 }) },
  { capability: "fork", use: (handle) => handle.fork(id, 1, "fork") },
  { capability: "verify", use: (handle) => collect(handle.verify()) },
  { capability: "repair", use: (handle) => handle.repair(id) },
  {
    capability: "idempotency",
    use: (handle) => handle.append("keyed", numbered(1, 1), { idempotencyKey: "key" }),
  },
  { capability: "truncate", use: (handle) => handle.truncate(id, 2) },
];

/** That a store is what it claims to be. */
export const manifestProperties: Properties = [
  {
    id: "M1",
    group: "manifest",
    level: "L1",
    requires: ["full"],
    statement: "The manifest is frozen, survives JSON, and is the same for every handle",
    reason: "A report is worth nothing when the store can change its mind",
    cases: [
      {
        name: "capabilities are frozen, survive JSON, and are the same for every handle",
        async run({ open, check }) {
          const { capabilities } = await open();
          check.same(isDeeplyFrozen(capabilities), true);
          check.equal(JSON.parse(JSON.stringify(capabilities)), capabilities);
          check.equal((await open()).capabilities, capabilities);
          check.same(capabilities.kit, 1);
          check.includes(["instance", "process", "host", "network"], capabilities.concurrency);
          check.includes(["none", "process", "power"], capabilities.durability);
          check.includes(["snapshot", "prefix"], capabilities.readIsolation);
          check.includes(["local", "server"], capabilities.clock);
          check.includes(["poll", "push"], capabilities.tail);
        },
      },
    ],
  },
  {
    id: "M2",
    group: "manifest",
    level: "L1",
    statement: "What is claimed is there and works, and what is not claimed says so",
    reason: "A manifest that lies makes every certificate worthless",
    cases: [
      {
        name: "every claimed capability can be used",
        async run({ open, check, manifest }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const { capability, use } of uses) {
            if (manifest[capability]) await check.succeeds(use(handle), `${capability} is claimed`);
          }
        },
      },
      {
        name: "no capability that is not claimed pretends to work",
        requires: ["full"],
        async run({ open, check, manifest }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          for (const { capability, use } of uses) {
            if (!manifest[capability]) await check.fails(use(handle), "NOT_SUPPORTED");
          }
        },
      },
    ],
  },
  {
    id: "M3",
    group: "manifest",
    level: "L1",
    requires: ["full"],
    statement:
      "Declared limits hold to the byte: what is at a limit is stored, what is over it is refused",
    reason: "A limit that is off by one is found by the one user who has to live with it",
    cases: [
      {
        name: "append() takes an id, an event and a batch of the largest size, and nothing larger",
        async run({ open, check, manifest }) {
          const { maxSessionIdBytes, maxEventBytes, maxBatchEvents } = manifest.limits;
          const handle = await open();
          const longest = "i".repeat(maxSessionIdBytes);
          check.same(await handle.append(longest, numbered(1, 1)), 1);
          check.same(await handle.head(longest), 1);
          await check.fails(handle.append(`${longest}i`, numbered(1, 1)), "INVALID_SESSION_ID");
          const text = "x".repeat(maxEventBytes - '{"text":""}'.length);
          check.same(await handle.append("event", [{ text }]), 1);
          const [stored] = await readAll(handle, "event");
          check.same(JSON.stringify(stored?.event).length, maxEventBytes);
          await check.fails(handle.append("event", [{ text: `${text}x` }]), "LIMIT_EXCEEDED");
          const batch = Array.from({ length: maxBatchEvents }, () => ({}));
          check.same(await handle.append("batch", batch), maxBatchEvents);
          await check.fails(handle.append("batch", [...batch, {}]), "LIMIT_EXCEEDED");
          check.same(await handle.head("batch"), maxBatchEvents);
        },
      },
    ],
  },
  {
    id: "M4",
    group: "manifest",
    level: "L1",
    requires: ["verify"],
    statement:
      "verify() finds nothing wrong with a healthy store, and repair() has nothing to do there",
    reason: "A checker that cries wolf is switched off",
    cases: [
      {
        name: "verify() finds nothing wrong with healthy sessions and changes nothing",
        requires: ["truncate", "fork"],
        async run({ open, check }) {
          const handle = await open();
          check.equal(await collect(handle.verify()), []);
          await handle.append("a", numbered(1, 3));
          await handle.append("a", numbered(4, 300));
          await handle.append("b", numbered(1, 2));
          await handle.truncate("b", 0);
          await handle.fork("a", 2, "c");
          const healthy = { ok: true, findings: [] };
          await check.changesNothing(handle, async () => {
            const reports = await collect((await open()).verify());
            check.equal(
              reports.toSorted((x, y) => (x.sessionId < y.sessionId ? -1 : 1)),
              [
                { ...healthy, sessionId: "a", records: 300 },
                { ...healthy, sessionId: "b", records: 0 },
                { ...healthy, sessionId: "c", records: 2 },
              ],
            );
          });
        },
      },
      {
        name: "verify() with an id reports on that session alone",
        async run({ open, check }) {
          const handle = await open();
          for (const sessionId of ["a", "ab", "A"]) await handle.append(sessionId, numbered(1, 2));
          const reports = await collect(handle.verify("a"));
          check.equal(reports, [{ sessionId: "a", ok: true, records: 2, findings: [] }]);
          check.equal(await collect(handle.verify("unknown")), []);
        },
      },
      {
        name: "repair() of a healthy session does nothing, or is not supported as declared",
        async run({ open, check, manifest }) {
          const handle = await open();
          await handle.append(id, numbered(1, 3));
          await check.changesNothing(handle, async () => {
            for (const sessionId of [id, "unknown"]) {
              if (manifest.repair) check.same(await handle.repair(sessionId), null);
              else await check.fails(handle.repair(sessionId), "NOT_SUPPORTED");
            }
          });
          check.same(await handle.append(id, numbered(4, 4)), 4);
        },
      },
    ],
  },
];
