import { basename, dirname } from "node:path";
import type { FilePort } from "./file-port.ts";

/**
 * Yields when a file may have changed, as the operating system tells it (inotify, kqueue, ...). A
 * hint: it may be missed or false. Ends at once where the directory cannot be watched.
 */
export async function* watchFile(
  port: FilePort,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  let changed = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    changed = true;
    wake?.();
  };
  const name = basename(path);
  // The directory and not the file, which a truncate replaces and which may not exist yet.
  const watcher = port.watch(dirname(path), { persistent: false, signal }, (_event, file) => {
    if (file === null || file === name) notice();
  });
  watcher.on("error", notice);
  signal.addEventListener("abort", notice, { once: true });
  try {
    while (!signal.aborted) {
      if (!changed) await new Promise<void>((resolve) => void (wake = resolve));
      changed = false;
      yield;
    }
  } finally {
    watcher.close();
  }
}
