import type { KeyWrapper } from "../../codecs/index.ts";
import { CheckpointError } from "../../src/index.ts";
import type { Keys } from "./open-key-file.ts";

/**
 * What wraps session keys under the keys of a key file. One that is disabled has a wrapper of its
 * own, which opens nothing and says why.
 */
export async function wrappersOf({
  primary,
  decryptOnly,
  disabled,
}: Keys): Promise<{ wrapper: KeyWrapper; wrappers: KeyWrapper[] }> {
  const { localWrapper } = await import("../../codecs/index.ts");
  const wrappers = disabled.map((key): KeyWrapper => {
    const refuse = (): Promise<never> => Promise.reject(disabledError(key.id));
    return { id: localWrapper({ key }).id, wrap: refuse, unwrap: refuse };
  });
  return { wrapper: localWrapper({ key: primary, decryptOnly }), wrappers };
}

function disabledError(keyId: string): CheckpointError {
  return new CheckpointError("KEY_DISABLED", `Key ${keyId} is disabled`);
}
