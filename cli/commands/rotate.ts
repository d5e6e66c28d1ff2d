import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { replaceKeyFile, showKeyFile } from "../keys/key-file.ts";
import { withoutDecryptOnly, withPrimary } from "../keys/key-lines.ts";
import { makeKey } from "../keys/make-key.ts";
import { openKeyFile, type OpenKeyFile } from "../keys/open-key-file.ts";
import { requirePlaces, sealWith, type Sealing } from "../keys/sealing.ts";
import { planSealing, sealingOptionsOf, type SealingPlan } from "../keys/sealing-options.ts";
import { findStore } from "../open-store.ts";
import { jsonLine } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { sealSessions } from "../seal-sessions.ts";
import {
  globalsOf,
  requireStoreSpec,
  storeSpecOf,
  withSealing,
  withStoreAt,
} from "../with-store.ts";

interface RotateOptions {
  readonly retire?: boolean | undefined;
  readonly newKey?: boolean | undefined;
}

const help = `
Puts a new primary key into the key file and seals every session under it; the key before stays, for
decrypting only. With --key-store it wraps the sessions' own keys anew and touches no record; then
no --store is needed. Run again after a crash it finishes what was begun and makes no other key:
sessions under an old key first, and with --retire old keys that are left. A session that cannot be
sealed anew keeps it from making another key; repair or remove it, or insist with --new-key.
Stop whatever else uses the key file first: with the old file it reads nothing that the new key
seals, and what it writes under a key that --retire drops is lost.`;

export function addRotateCommand(program: Command, context: Context): void {
  program
    .command("rotate")
    .description("make a new primary key and seal every session under it; finishes what was begun")
    .option("--retire", "then drop the keys that no session of this store needs any more")
    .option("--new-key", "make a key even if an earlier rotation is unfinished")
    .addHelpText("after", help)
    .action(async (options: RotateOptions, command: Command) => {
      const plan = planSealing(sealingOptionsOf(context, command));
      if (plan.keyFile === null) {
        throw new CliError(exitCodes.usage, "Name the key file to rotate: --key-file <path>");
      }
      const spec = storeSpecOf(context, command);
      // Whatever is mistyped is found before a key is made.
      await requirePlaces(plan, "fail");
      if (plan.keyStore === null) {
        requireStoreSpec(spec);
        await findStore(context.schemes, spec, "fail");
      }
      const file = await openKeyFile(context, plan.keyFile, plan.mustBeVault);
      const json = globalsOf(command).json === true;
      await rotate({ context, plan, spec, json }, file, options);
    });
}

/** What every step of a rotation needs. */
interface Rotation {
  readonly context: Context;
  readonly plan: SealingPlan;
  readonly spec: string;
  readonly json: boolean;
}

async function rotate(
  rotation: Rotation,
  file: OpenKeyFile,
  { retire = false, newKey = false }: RotateOptions,
): Promise<void> {
  let current = file;
  const mayBeUnfinished = !newKey && file.decryptOnly.length > 0;
  const finished = mayBeUnfinished && ((await sealAll(rotation, file)) > 0 || retire);
  if (!finished) {
    current = await addPrimary(rotation, file);
    await sealAll(rotation, current);
  }
  const fields = { keyFile: file.path, primary: current.primary.id, made: !finished };
  const done = finished ? "finished what an earlier rotation began" : "rotated";
  await tell(rotation, fields, `${showKeyFile(file.path)}: ${done}`);
  if (retire) await dropOldKeys(rotation, current);
}

/** @returns the key file read anew, so that nothing is sealed before it is known to be good */
async function addPrimary(rotation: Rotation, file: OpenKeyFile): Promise<OpenKeyFile> {
  const { context, plan } = rotation;
  const key = await makeKey(file.password);
  const date = new Date().toISOString().slice(0, 10);
  await replaceKeyFile(file.path, file.text, withPrimary(file.text, { ...key, date }));
  const opened = await openKeyFile(context, file.path, plan.mustBeVault);
  const fields = { keyFile: file.path, primary: key.id, decryptOnly: file.primary.id };
  const text = `key ${key.id} is the primary now, key ${file.primary.id} only decrypts`;
  await tell(rotation, fields, `${showKeyFile(file.path)}: ${text}`);
  return opened;
}

/** @returns how many sessions were not under the primary key */
async function sealAll(rotation: Rotation, keys: OpenKeyFile): Promise<number> {
  const { context, plan, spec, json } = rotation;
  const open = (): Promise<Sealing> => sealWith(plan, keys);
  if (plan.keyStore === null) {
    return withStoreAt(context, spec, "fail", open, (store) =>
      sealSessions(context, store, { operation: "rekey", tellSkipped: false, json }),
    );
  }
  return withSealing(open, async ({ sessionKeys }) => {
    const { signal } = context.io;
    const { sessions = 0, keys: count = 0 } =
      (await sessionKeys?.rewrap(undefined, { signal })) ?? {};
    if (sessions === 0) return 0;
    const text = `${formatCount(count, "key")} of ${formatCount(sessions, "session")} wrapped anew`;
    await tell(rotation, { sessions, keys: count }, text);
    return sessions;
  });
}

/** Looks once more first: a writer with the old key would lose what it writes. */
async function dropOldKeys(rotation: Rotation, file: OpenKeyFile): Promise<void> {
  const name = showKeyFile(file.path);
  if ((await sealAll(rotation, file)) > 0) {
    const detail = "somebody still writes under an old key; stop them and run again";
    throw new CliError(exitCodes.busy, `${name}: nothing was retired, ${detail}`);
  }
  await replaceKeyFile(file.path, file.text, withoutDecryptOnly(file.text));
  const retired = file.decryptOnly.map(({ id }) => id);
  await tell(rotation, { keyFile: file.path, retired }, `${name}: retired ${retired.join(", ")}`);
}

async function tell({ context, json }: Rotation, fields: object, text: string): Promise<void> {
  await context.out.note(json ? jsonLine(fields) : text);
}
