/** Work that has not come to an end. */
export class Hung extends Error {
  override readonly name = "Hung";
}

/** Waits for `work`, and gives up after `milliseconds`. A timer only names a hang; it never decides. */
export async function withWatchdog<T>(work: () => Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Hung(`no end after ${Math.round(milliseconds / 1_000)} s`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work(), hung]);
  } finally {
    clearTimeout(timer);
  }
}
