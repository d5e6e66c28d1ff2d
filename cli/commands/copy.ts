import type { Command } from "commander";
import { limits, requireSessionId, type EventObject } from "../../src/index.ts";
import { appendMissing, type AppendedEvents, type IncomingEvent } from "../append-missing.ts";
import { CliError } from "../cli-error.ts";
import type { Context, Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireSession } from "../find-session.ts";
import { requireApart } from "../keys/require-apart.ts";
import { openSealing, type Sealing } from "../keys/sealing.ts";
import { planSealing, sealingOptionsOf, type SealingPlan } from "../keys/sealing-options.ts";
import { targetSealing, type TargetOptions } from "../keys/target-sealing.ts";
import { oldestFirst } from "../list-sessions.ts";
import { isStoreSpec } from "../open-store.ts";
import { jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { createProgress } from "../progress.ts";
import { runEach } from "../run-each.ts";
import { strictNumber } from "../strict-number.ts";
import { globalsOf, withStoreAt } from "../with-store.ts";

interface CopyOptions extends TargetOptions {
  readonly toStore?: string | undefined;
  readonly batch: number;
}

const help = `
Either two stores, with the sessions to copy or none for all of them:
  ckpt copy file:./sessions sqlite:./sessions.db
  ckpt copy file:./sessions sqlite:./sessions.db one another
or two sessions, which --store or --to-store says, or that they do not look like stores:
  ckpt copy --store file:./sessions one renamed --to-store sqlite:./sessions.db
Events are copied exactly, with new timestamps. Run twice, copy appends only what is not there yet;
it never changes a session whose events differ.
--key-file, --codec, --key-store and --anchor are about the store that is read. Within one store the
copy is sealed the same way. Another store gets what --to-... says and nothing else: a sealed store
is copied only with --to-key-file, which names the keys of the copy, or none for a plain one:
  ckpt copy --key-file a.key file:./sealed sqlite:./resealed.db --to-key-file b.key
  ckpt copy file:./plain sqlite:./sealed.db --to-key-file b.key`;

export function addCopyCommand(program: Command, context: Context): void {
  program
    .command("copy")
    .description("copy sessions between any two stores")
    .argument("<from>", "store to read, or session in --store")
    .argument("<to>", "store to write, created when missing, or name of the copy")
    .argument("[sessions...]", "ids, when <from> and <to> are stores")
    .option("--to-store <spec>", "store to write a copied session to (default: --store)")
    .option("--to-key-file <path>", "keys to seal the copy with, or none for a plain copy")
    .option("--to-codec <pipeline>", "as --codec, for the copy")
    .option("--to-key-store <spec>", "as --key-store, for the copy")
    .option("--to-anchor <place>", "as --anchor, for the copy")
    .option(
      "--batch <n>",
      "events in one append",
      strictNumber({ min: 1, max: limits.maxBatchEvents }),
      500,
    )
    .addHelpText("after", help)
    .action(
      async (from: string, to: string, ids: string[], options: CopyOptions, command: Command) => {
        const { store = context.io.env["CHECKPOINTER_STORE"], json } = globalsOf(command);
        const plan = namesStores(context, [from, to], options, command)
          ? { from, to, ids: ids.length > 0 ? ids : null, as: null }
          : { from: store ?? "", to: options.toStore ?? store ?? "", ids: [from], as: to };
        if (plan.as !== null && ids.length > 0) {
          throw new CliError(exitCodes.usage, "More sessions go with two stores, not two sessions");
        }
        const sealing = sealingOptionsOf(context, command);
        const sides = {
          source: planSealing(sealing),
          target: planSealing(targetSealing(sealing, options, plan.from === plan.to)),
        };
        await copyAll(context, { ...plan, ...sides }, options.batch, json === true);
      },
    );
}

/** Whether `<from>` and `<to>` are stores; otherwise they are sessions. */
function namesStores(
  { schemes }: Context,
  names: readonly string[],
  { toStore }: CopyOptions,
  command: Command,
): boolean {
  if (toStore !== undefined || globalsOf(command).store !== undefined) return false;
  const stores = names.filter((name) => isStoreSpec(schemes, name)).length;
  if (stores === 1) {
    const detail = "met a store and something else; with --store both are sessions";
    throw new CliError(exitCodes.usage, `Wanted two stores or two sessions; ${detail}`);
  }
  return stores === names.length;
}

/** Everything one run copies. */
interface CopyPlan {
  readonly from: string;
  readonly to: string;
  /** null: every session. */
  readonly ids: readonly string[] | null;
  /** Name of the copy; null: the name of the original. */
  readonly as: string | null;
  readonly source: SealingPlan;
  readonly target: SealingPlan;
}

async function copyAll(
  context: Context,
  plan: CopyPlan,
  batch: number,
  json: boolean,
): Promise<void> {
  const { from, to, ids, as } = plan;
  requireApart(from, plan.source);
  requireApart(to, plan.target);
  const openSource = (): Promise<Sealing> => openSealing(context, plan.source, "fail");
  const openTarget = (): Promise<Sealing> => openSealing(context, plan.target, "create");
  await withStoreAt(context, from, "fail", openSource, async (source) => {
    for (const id of ids ?? []) await requireSession(source, id);
    if (as !== null) requireSessionId(as);
    const chosen = ids ?? (await oldestFirst(source));
    await withStoreAt(context, to, "create", openTarget, async (target) => {
      await runEach(context, chosen, "session", (id) => {
        return copySession(context, { source, target, id, as: as ?? id, batch }, json);
      });
    });
  });
}

interface Copy {
  readonly source: Store;
  readonly target: Store;
  readonly id: string;
  readonly as: string;
  readonly batch: number;
}

async function copySession(
  context: Context,
  { source, target, id, as, batch }: Copy,
  json: boolean,
): Promise<void> {
  const { signal } = context.io;
  const progress = createProgress(context.io);
  const onProgress = ({ records }: AppendedEvents): void => {
    progress.show(`${id}: ${formatCount(records, "event")}`);
  };
  let done: AppendedEvents;
  try {
    const events = eventsOf(source, id, signal);
    done = await appendMissing(target, as, events, { batch, signal, onProgress });
  } finally {
    progress.clear();
  }
  const { records, appended, head } = done;
  const fields = { session: id, as, events: records, appended, head };
  const counts = `${formatCount(records, "event")}, ${appended.toLocaleString("en-US")} new`;
  const text = `${showId(id)} -> ${showId(as)}: ${counts}`;
  await context.out.note(json ? jsonLine(fields) : text);
}

async function* eventsOf(
  source: Store,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<IncomingEvent> {
  for await (const { seq, event } of source.read(sessionId, { signal })) {
    yield { event, size: sizeOf(event), place: `seq ${seq} of the source` };
  }
}

function sizeOf(event: EventObject): number {
  return JSON.stringify(event).length;
}
