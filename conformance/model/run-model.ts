import * as fc from "fast-check";
import { assertProperty } from "../assert-property.ts";
import { withAnother, type Context, type OwnedContext } from "../context.ts";
import type { Pace } from "../fixture.ts";
import { requireValid, runClients } from "../history/run-clients.ts";
import type { Handle } from "../session-state.ts";
import {
  appendPlanned,
  appendPlans,
  checkSame,
  commandsFor,
  resolveExpectation,
  resultOf,
  toModel,
  type AppendPlan,
  type Command,
} from "./commands.ts";
import { SessionModel } from "./session-model.ts";

/** Runs generated sequences of calls on a store and on the model; every answer has to be the same. */
export async function runSequentially(context: Context): Promise<void> {
  const { budget, manifest } = context;
  const programs = commandsFor(manifest, budget.replay?.replayPath);
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), programs, (handles, program) =>
    withAnother(context, (store) => runProgram(store, handles, program)),
  );
  await assertProperty(property, budget, 80);
}

async function runProgram(
  store: OwnedContext,
  handles: number,
  program: Iterable<Command>,
): Promise<void> {
  const model = new SessionModel();
  const real = { context: store, handles: await store.openMany(handles), tokens: [] };
  await fc.asyncModelRun(() => ({ model, real }), program);
  await checkSame(store, model, await store.open());
}

/** Issues generated appends without awaiting; they act as if issued one after the other. */
export async function runAtOnce(context: Context): Promise<void> {
  const plans = fc.array(appendPlans(context.manifest), { maxLength: 50, size: "max" });
  const property = fc.asyncProperty(plans, (many) =>
    withAnother(context, async (store) => {
      const model = new SessionModel();
      const handle = await store.open();
      const calls = many.map((plan) => beginBoth(model, handle, plan));
      for (const { wanted, result } of calls) store.check.equal(await result, wanted);
      await checkSame(store, model, await store.open());
    }),
  );
  await assertProperty(property, context.budget, 20);
}

/**
 * Lets clients work on handles whose steps of I/O are let through in a generated order, so that every
 * interleaving can come up, also those that are rare in nature. What they were told has to fit one log.
 */
export async function runScheduled(context: Context): Promise<void> {
  const { budget, manifest } = context;
  const shortens = manifest.truncate;
  const property = fc.asyncProperty(fc.nat(), fc.scheduler(), (seed, scheduler) =>
    withAnother(context, async (store) => {
      const handles = await openPaced(store, (step) => scheduler.schedule(Promise.resolve(), step));
      const work = async (): Promise<void> => {
        const clients = { handles, steps: 4, shortens, budget: { ...budget, seed } };
        requireValid(store.check, await runClients(clients));
        for (const handle of new Set<Partial<Handle>>(handles)) await handle.close?.();
      };
      await scheduler.waitFor(work());
    }),
  );
  await assertProperty(property, budget, 60);
}

/** Three handles that wait for their turn; the same one three times where one object is all there is. */
async function openPaced({ fixture, manifest }: Context, pace: Pace): Promise<Handle[]> {
  const handles: Handle[] = [];
  while (handles.length < 3) {
    const [first] = handles;
    const shared = manifest.concurrency === "instance" ? first : undefined;
    handles.push(shared ?? ((await fixture.openPaced?.(pace)) as Handle));
  }
  return handles;
}

function beginBoth(
  model: SessionModel,
  handle: Handle,
  plan: AppendPlan,
): { wanted: unknown; result: Promise<unknown> } {
  const expected = resolveExpectation(model, { tokens: [] }, "a", plan.expectation);
  const wanted = model.append("a", toModel(plan, expected.model));
  return { wanted, result: resultOf(appendPlanned(handle, "a", plan, expected.real)) };
}
