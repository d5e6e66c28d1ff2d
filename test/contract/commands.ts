import * as fc from "fast-check";
import { expect } from "vitest";
import { isCheckpointError, type HeadToken, type ReadOptions } from "../../src/index.ts";
import type { Handle, StoreFixture } from "../stores.ts";
import type { Model, ModelAppend, ModelHead, ModelResult } from "./model.ts";
import { collect, readAll, reopen, sequence } from "./rule.ts";

/** The store under test: several handles, and the tokens that were handed out. */
export interface Real {
  readonly store: StoreFixture;
  readonly handles: Handle[];
  readonly tokens: Array<{ readonly token: HeadToken; readonly head: Required<ModelHead> }>;
}

type Command = fc.AsyncCommand<Model, Real>;

/** A head relative to the actual one, or one of the tokens handed out before; nothing: none. */
export type Expectation = { readonly delta: number } | { readonly tokenBack: number } | undefined;

/** An append whose expectation is not resolved yet. */
export interface AppendPlan {
  readonly events: readonly object[];
  readonly expectation: Expectation;
  readonly key: string | undefined;
}

/** What a call came to, in the model's terms. */
export async function resultOf(call: Promise<unknown>): Promise<ModelResult> {
  try {
    return { value: await call };
  } catch (error) {
    if (error instanceof RangeError) return { code: "RangeError" };
    if (!isCheckpointError(error)) throw error;
    const { code } = error;
    return "actual" in error ? { code, actual: error.actual as number } : { code };
  }
}

/** The same expectation for the model and for the store. */
export function resolve(
  model: Model,
  { tokens }: Pick<Real, "tokens">,
  sessionId: string,
  expectation: Expectation,
): { model: ModelHead | undefined; real: number | HeadToken | undefined } {
  if (expectation === undefined) return { model: undefined, real: undefined };
  if ("delta" in expectation) {
    const seq = Math.max(0, model.head(sessionId).seq + expectation.delta);
    return { model: { seq }, real: seq };
  }
  const held = tokens.at(-1 - expectation.tokenBack);
  return { model: held?.head, real: held?.token };
}

/** An append as the model takes it. */
export function toModel(plan: AppendPlan, expected: ModelHead | undefined): ModelAppend {
  return { events: plan.events.map((event) => JSON.stringify(event)), expected, key: plan.key };
}

/** A command on one handle and one session. */
function command(
  text: string,
  handle: number,
  run: (model: Model, handle: Handle, real: Real) => Promise<void>,
): Command {
  return {
    check: () => true,
    run: (model, real) => run(model, real.handles[handle % real.handles.length]!, real),
    toString: () => `#${handle} ${text}`,
  };
}

const handleIndex = fc.nat(2);
export const sessionIds: readonly string[] = ["a", "A", "a/b"];
const session = fc.constantFrom(...sessionIds);
const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant({ delta: 0 }) },
  { weight: 1, arbitrary: fc.record({ delta: fc.integer({ min: -2, max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ tokenBack: fc.nat(2) }) },
);

/** Appends of 0 to 5 events from a small set, so that keys meet the same and other events. */
export const appendPlan: fc.Arbitrary<AppendPlan> = fc.record({
  events: fc.array(fc.record({ n: fc.nat(1) }), { maxLength: 5 }),
  expectation,
  key: fc.oneof(fc.constant(undefined), fc.constantFrom("k1", "k2")),
});

const append = fc.tuple(handleIndex, session, appendPlan).map(([index, sessionId, plan]) =>
  command(`append ${sessionId} ${JSON.stringify(plan)}`, index, async (model, handle, real) => {
    const expected = resolve(model, real, sessionId, plan.expectation);
    const options = { expectedHead: expected.real, idempotencyKey: plan.key };
    const result = await resultOf(handle.append(sessionId, plan.events, options));
    expect(result).toEqual(model.append(sessionId, toModel(plan, expected.model)));
  }),
);

const truncate = fc
  .tuple(handleIndex, session, fc.nat(8), expectation)
  .map(([index, sessionId, toSeq, expects]) =>
    command(
      `truncate ${sessionId} ${toSeq} ${JSON.stringify(expects)}`,
      index,
      async (model, handle, real) => {
        const expected = resolve(model, real, sessionId, expects);
        const result = await resultOf(handle.truncate(sessionId, toSeq, expected.real));
        expect(result).toEqual(model.truncate(sessionId, toSeq, expected.model));
      },
    ),
  );

const remove = fc.tuple(handleIndex, session).map(([index, sessionId]) =>
  command(`delete ${sessionId}`, index, async (model, handle) => {
    expect(await resultOf(handle.delete(sessionId))).toEqual(model.delete(sessionId));
  }),
);

const fork = fc
  .tuple(handleIndex, session, fc.nat(6), session)
  .map(([index, source, atSeq, target]) =>
    command(`fork ${source} ${atSeq} ${target}`, index, async (model, handle) => {
      const result = await resultOf(handle.fork(source, atSeq, target));
      expect(result).toEqual(model.fork(source, atSeq, target));
    }),
  );

const bound = fc.option(fc.nat(12), { nil: undefined });
const range: fc.Arbitrary<ReadOptions> = fc.record({
  sinceSeq: bound,
  untilSeq: bound,
  limit: bound,
  reverse: fc.boolean(),
});

const read = fc.tuple(handleIndex, session, range).map(([index, sessionId, options]) =>
  command(`read ${sessionId} ${JSON.stringify(options)}`, index, async (model, handle) => {
    await expectRange(model, handle, sessionId, options);
  }),
);

const head = fc.tuple(handleIndex, session).map(([index, sessionId]) =>
  command(`head ${sessionId}`, index, async (model, handle, real) => {
    const wanted = model.head(sessionId);
    expect(await handle.head(sessionId)).toBe(wanted.seq);
    const token = await handle.headToken(sessionId);
    for (const held of real.tokens) {
      const same = held.head.life === wanted.life && held.head.seq === wanted.seq;
      expect(held.token === token).toBe(same);
    }
    real.tokens.push({ token, head: wanted });
  }),
);

const list = handleIndex.map((index) =>
  command("list", index, async (model, handle) => expectList(model, handle)),
);

const reopenHandle = handleIndex.map((index) =>
  command("reopen", index, async (_model, handle, real) => {
    real.handles[real.handles.indexOf(handle)] = await reopen(real.store, handle);
  }),
);

/** Sequences of commands, most of which change something. */
export const commands: fc.Arbitrary<Iterable<Command>> = fc.commands(
  [append, append, append, truncate, remove, fork, read, read, head, head, list, reopenHandle],
  { maxCommands: 25, size: "max" },
);

/** Checks a range against slicing the model. */
async function expectRange(
  model: Model,
  handle: Handle,
  sessionId: string,
  options: ReadOptions,
): Promise<void> {
  const events = model.eventsOf(sessionId);
  const { sinceSeq = 0, untilSeq = Infinity, limit = Infinity, reverse = false } = options;
  const within = sequence(1, events.length).filter((seq) => seq > sinceSeq && seq <= untilSeq);
  const wanted = (reverse ? within.toReversed() : within).slice(0, limit);
  const stored = await readAll(handle, sessionId, options);
  const met = stored.map(({ seq, event }) => [seq, JSON.stringify(event)]);
  expect(met).toEqual(wanted.map((seq) => [seq, events[seq - 1]]));
}

async function expectList(model: Model, handle: Handle): Promise<void> {
  const listed = (await handle.list()).map((info) => [info.id, info.head]);
  const wanted = [...model.logs].map(([sessionId, { events }]) => [sessionId, events.length]);
  expect(listed).toEqual(wanted.toReversed());
}

/** Checks everything there is. */
export async function expectSame(model: Model, handle: Handle): Promise<void> {
  await expectList(model, handle);
  for (const sessionId of sessionIds) await expectRange(model, handle, sessionId, {});
  for (const { ok, findings } of await collect(handle.verify())) {
    expect({ ok, findings }).toEqual({ ok: true, findings: [] });
  }
}
