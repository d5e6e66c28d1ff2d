/** A key that nobody has yet. */
export interface NewKey {
  /** The key in base64, or a password vault with it: what stands in a key file. */
  readonly secret: string;
  /** What records and messages call it. */
  readonly id: string;
}

/** @param password - to put the key behind; null for none */
export async function makeKey(password: string | null): Promise<NewKey> {
  const { createPasswordVault, generateKey, openPasswordVault, secretKey } =
    await import("../../codecs/index.ts");
  if (password === null) {
    const secret = generateKey();
    return { secret, id: (await secretKey(secret)).id };
  }
  const secret = await createPasswordVault(password);
  // Opened once, so that no record ever depends on a vault that does not open.
  const { id } = await openPasswordVault({ vault: secret, password });
  return { secret, id };
}
