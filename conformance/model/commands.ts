import * as fc from "fast-check";
import { isCheckpointError, type HeadToken, type ReadOptions } from "../../src/index.ts";
import type { Check } from "../check.ts";
import { collect } from "../collect.ts";
import type { Context } from "../context.ts";
import type { Manifest } from "../manifest.ts";
import { readAll, sequence, type Handle } from "../session-state.ts";
import type { ModelAppend, ModelHead, ModelResult, SessionModel } from "./session-model.ts";

/** The store under test: several handles, and the tokens that were handed out. */
export interface RealStore {
  readonly context: Context;
  readonly handles: Handle[];
  readonly tokens: Array<{ readonly token: HeadToken; readonly head: Required<ModelHead> }>;
}

/** One call, made on the model and on the store. */
export type Command = fc.AsyncCommand<SessionModel, RealStore>;

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
    return "actual" in error ? { code, actual: Number(error.actual) } : { code };
  }
}

/** The same expectation for the model and for the store. */
export function resolveExpectation(
  model: SessionModel,
  { tokens }: Pick<RealStore, "tokens">,
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

/** Calls an append in the shortest form, which is the only one that every store knows. */
export function appendPlanned(
  handle: Handle,
  sessionId: string,
  { events, key }: AppendPlan,
  expected: number | HeadToken | undefined,
): Promise<number> {
  if (key === undefined) return handle.append(sessionId, events, expected);
  return handle.append(sessionId, events, { expectedHead: expected, idempotencyKey: key });
}

function command(
  text: string,
  handle: number,
  run: (model: SessionModel, handle: Handle, real: RealStore) => Promise<void>,
): Command {
  return {
    check: () => true,
    async run(model, real) {
      const chosen = real.handles[handle % real.handles.length];
      if (chosen !== undefined) await run(model, chosen, real);
    },
    toString: () => `#${handle} ${text}`,
  };
}

const handleIndex = fc.nat(3);

/** The sessions of a run: few, so that calls meet, and similar, so that they do not. */
const sessionIds: readonly string[] = ["a", "A", "a/b"];
const session = fc.constantFrom(...sessionIds);

function expectations({ headToken }: Manifest): fc.Arbitrary<Expectation> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constant({ delta: 0 }) },
    { weight: 1, arbitrary: fc.record({ delta: fc.integer({ min: -2, max: 2 }) }) },
    { weight: headToken ? 2 : 0, arbitrary: fc.record({ tokenBack: fc.nat(2) }) },
  );
}

/** Appends of 0 to 5 events from a small set, so that keys meet the same and other events. */
export function appendPlans(manifest: Manifest): fc.Arbitrary<AppendPlan> {
  const keys = fc.oneof(fc.constant(undefined), fc.constantFrom("k1", "k2"));
  return fc.record({
    events: fc.array(fc.record({ n: fc.nat(1) }), { maxLength: 5 }),
    expectation: expectations(manifest),
    key: manifest.idempotency ? keys : fc.constant(undefined),
  });
}

function append(manifest: Manifest): fc.Arbitrary<Command> {
  return fc.tuple(handleIndex, session, appendPlans(manifest)).map(([index, sessionId, plan]) =>
    command(`append ${sessionId} ${JSON.stringify(plan)}`, index, async (model, handle, real) => {
      const expected = resolveExpectation(model, real, sessionId, plan.expectation);
      const result = await resultOf(appendPlanned(handle, sessionId, plan, expected.real));
      real.context.check.equal(result, model.append(sessionId, toModel(plan, expected.model)));
    }),
  );
}

function truncate(manifest: Manifest): fc.Arbitrary<Command> {
  const insist = manifest.kit === 1 ? expectations(manifest) : fc.constant(undefined);
  return fc
    .tuple(handleIndex, session, fc.nat(8), insist)
    .map(([index, sessionId, toSeq, expects]) =>
      command(
        `truncate ${sessionId} ${toSeq} ${JSON.stringify(expects)}`,
        index,
        async (model, handle, real) => {
          const expected = resolveExpectation(model, real, sessionId, expects);
          const result = await resultOf(handle.truncate(sessionId, toSeq, expected.real));
          real.context.check.equal(result, model.truncate(sessionId, toSeq, expected.model));
        },
      ),
    );
}

const remove = fc.tuple(handleIndex, session).map(([index, sessionId]) =>
  command(`delete ${sessionId}`, index, async (model, handle, { context }) => {
    context.check.equal(await resultOf(handle.delete(sessionId)), model.delete(sessionId));
  }),
);

const fork = fc
  .tuple(handleIndex, session, fc.nat(6), session)
  .map(([index, source, atSeq, target]) =>
    command(`fork ${source} ${atSeq} ${target}`, index, async (model, handle, { context }) => {
      const result = await resultOf(handle.fork(source, atSeq, target));
      context.check.equal(result, model.fork(source, atSeq, target));
    }),
  );

const bound = fc.option(fc.nat(12), { nil: undefined });

function read({ range }: Manifest): fc.Arbitrary<Command> {
  const options: fc.Arbitrary<ReadOptions> = range
    ? fc.record({ sinceSeq: bound, untilSeq: bound, limit: bound, reverse: fc.boolean() })
    : fc.record({ sinceSeq: fc.nat(12) });
  return fc
    .tuple(handleIndex, session, options)
    .map(([index, sessionId, chosen]) =>
      command(`read ${sessionId} ${JSON.stringify(chosen)}`, index, (model, handle, { context }) =>
        checkRange(context.check, model, handle, sessionId, chosen),
      ),
    );
}

function head({ headToken }: Manifest): fc.Arbitrary<Command> {
  return fc.tuple(handleIndex, session).map(([index, sessionId]) =>
    command(`head ${sessionId}`, index, async (model, handle, { context, tokens }) => {
      const wanted = model.head(sessionId);
      context.check.same(await handle.head(sessionId), wanted.seq);
      if (!headToken) return;
      const token = await handle.headToken(sessionId);
      for (const held of tokens) {
        const same = held.head.life === wanted.life && held.head.seq === wanted.seq;
        context.check.same(held.token === token, same, "a token is the same as long as its log is");
      }
      tokens.push({ token, head: wanted });
    }),
  );
}

const list = handleIndex.map((index) =>
  command("list", index, (model, handle, { context }) => checkList(context.check, model, handle)),
);

/** One handle alone, while the others go on; where handles are one object there is no such thing. */
const replaceHandle = handleIndex.map((index) =>
  command("open anew", index, async (_model, handle, { context, handles }) => {
    if (context.manifest.concurrency === "instance") return;
    await (handle as Partial<Handle>).close?.();
    handles[handles.indexOf(handle)] = await context.open();
  }),
);

const reopen = fc.constant(
  command("reopen", 0, async (_model, _handle, { context, handles }) => {
    const count = handles.length;
    handles.splice(0, count, await context.reopen(), ...(await context.openMany(count - 1)));
  }),
);

/** Sequences of the calls that a store claims, most of which change something. */
export function commandsFor(
  manifest: Manifest,
  replayPath: string | undefined,
): fc.Arbitrary<Iterable<Command>> {
  const appends = append(manifest);
  const reads = read(manifest);
  const heads = head(manifest);
  const claimed = [
    ...(manifest.truncate ? [truncate(manifest)] : []),
    ...(manifest.fork ? [fork] : []),
  ];
  const all = [
    appends,
    appends,
    appends,
    remove,
    reads,
    reads,
    heads,
    heads,
    list,
    reopen,
    replaceHandle,
  ];
  const bounds = { maxCommands: 60, size: "max" } as const;
  return fc.commands(
    [...all, ...claimed],
    replayPath === undefined ? bounds : { ...bounds, replayPath },
  );
}

/** Checks a range against slicing the model. */
async function checkRange(
  check: Check,
  model: SessionModel,
  handle: Handle,
  sessionId: string,
  options: ReadOptions,
): Promise<void> {
  const events = model.eventsOf(sessionId);
  const { sinceSeq = 0, untilSeq = Infinity, limit = Infinity, reverse = false } = options;
  const within = sequence(1, events.length).filter((seq) => seq > sinceSeq && seq <= untilSeq);
  const wanted = (reverse ? within.toReversed() : within).slice(0, limit);
  const stored = await readAll(handle, sessionId, options);
  check.equal(
    stored.map(({ seq, event }) => [seq, JSON.stringify(event)]),
    wanted.map((seq) => [seq, events[seq - 1]]),
  );
}

async function checkList(check: Check, model: SessionModel, handle: Handle): Promise<void> {
  const listed = (await handle.list()).map((info) => [info.id, info.head]);
  const wanted = [...model.logs].map(([sessionId, { events }]) => [sessionId, events.length]);
  check.equal(listed, wanted.toReversed());
}

/** Checks everything there is. */
export async function checkSame(
  { check, manifest }: Context,
  model: SessionModel,
  handle: Handle,
): Promise<void> {
  await checkList(check, model, handle);
  for (const sessionId of sessionIds) await checkRange(check, model, handle, sessionId, {});
  if (!manifest.verify) return;
  for (const { ok, findings } of await collect(handle.verify())) {
    check.equal({ ok, findings }, { ok: true, findings: [] });
  }
}
