import type { SessionKeySource } from "../../codecs/index.ts";
import { isCheckpointError, type Anchor, type Codec } from "../../src/index.ts";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import type { WhenMissing } from "../open-store.ts";
import { createCodec } from "./codec-option.ts";
import { openKeyFile, type Keys } from "./open-key-file.ts";
import type { SealingPlan } from "./sealing-options.ts";
import { wrappersOf } from "./wrappers.ts";

/** How one store's records are sealed, with files read, passwords asked and places open. */
export interface Sealing {
  readonly codec: Codec | undefined;
  readonly anchor: Anchor | undefined;
  /** With `--key-store`. */
  readonly sessionKeys: SessionKeySource | undefined;
  /** The same error, or one that says what the key store said. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

/** Carries out a plan. */
export async function openSealing(
  context: Context,
  plan: SealingPlan,
  whenMissing: WhenMissing,
): Promise<Sealing> {
  await requirePlaces(plan, whenMissing);
  const keys =
    plan.keyFile === null ? null : await openKeyFile(context, plan.keyFile, plan.mustBeVault);
  return sealWith(plan, keys);
}

/**
 * Looks for the places a plan names, before anything is asked or created. An anchor or a key store
 * that is mistyped would otherwise be a new one, which knows nothing.
 */
export async function requirePlaces(
  { keyStore, anchor }: SealingPlan,
  whenMissing: WhenMissing,
): Promise<void> {
  if (whenMissing === "create") return;
  if (keyStore !== null && !(await keyStore.exists())) {
    throw new CliError(exitCodes.failed, `No key store at ${keyStore.shown}`);
  }
  if (anchor !== null && !(await anchor.exists())) {
    throw new CliError(exitCodes.failed, `No anchor at ${anchor.shown}; ${anchor.beginning}`);
  }
}

/** Seals with keys that are at hand. */
export async function sealWith(plan: SealingPlan, keys: Keys | null): Promise<Sealing> {
  const { codec, keyStore } = plan;
  const anchor = await plan.anchor?.open();
  if (codec === null || keys === null) {
    return {
      codec: codec === null ? undefined : await createCodec(codec, undefined),
      anchor,
      sessionKeys: undefined,
      explain: (error) => error,
      close: async () => undefined,
    };
  }
  if (keyStore === null) {
    const { keyRing } = await import("../../codecs/index.ts");
    return {
      codec: await createCodec(codec, keyRing(keys)),
      anchor,
      sessionKeys: undefined,
      explain: (error) => error,
      close: async () => undefined,
    };
  }
  const { sessionKeys: createSessionKeys } = await import("../../codecs/index.ts");
  let failure: unknown;
  const sessionKeys = createSessionKeys({
    ...(await wrappersOf(keys)),
    store: await keyStore.open(),
    onFailure: ({ error }) => void (failure = error),
  });
  return {
    codec: await createCodec(codec, sessionKeys),
    anchor,
    sessionKeys,
    explain: (error) => explained(error, failure),
    close: () => sessionKeys.close(),
  };
}

/** Session keys quote no stranger's error, but this one comes from a key store of the kit. */
function explained(error: unknown, failure: unknown): unknown {
  const isTold = isCheckpointError(error, "KEY_UNAVAILABLE") && failure instanceof Error;
  if (!isTold) return error;
  return new CliError(exitCodes.busy, `${failure.message} (${error.code})`, { cause: error });
}
