import { constants } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Repair } from "../../src/index.ts";
import { errorCode, syncDirectory, syncFile, unlessMissing, withFile } from "./file-port.ts";
import { isUnchanged, openLog, type OpenLog } from "./open-log.ts";
import type { ResolvedFileOptions } from "./resolve-options.ts";
import type { SessionFiles } from "./session-files.ts";
import {
  acquireOwner,
  isWanted,
  LostOwnershipError,
  stillOwns,
  type Owner,
} from "./session-lock.ts";

/** What a change works with while it owns the session. */
export interface Held {
  readonly owner: Owner;
  /** Where the log is. */
  readonly path: string;
  /**
   * The log as it is on disk, opened for appending; null when there is none. An unfinished batch at
   * its end was cut.
   */
  log(): Promise<OpenLog | null>;
  /** What `log()` had to cut, if anything. */
  repair(): Repair | null;
  /** Takes over a log that was just put in place of the current one. */
  adopt(log: OpenLog): void;
  /** Give the lock back as soon as the change is done, without lingering. */
  leave(): void;
}

/** Runs changes to one session one at a time, keeping the lock for a while in between. */
export interface SessionWriter {
  run<T>(work: (held: Held) => Promise<T>): Promise<T>;
  /** Waits for running changes and gives the lock back. */
  close(): Promise<void>;
}

/**
 * Under contention a lock is kept this long before it is passed on, since taking it costs about as
 * much as a synced append and each pass leaves it unused for a moment.
 */
const shareMs = 5;

/** How often an idle owner looks whether somebody waits for the lock. */
const askEveryMs = 20;

/** After passing the lock on, how long to stay away so that a waiter finds it free. */
const standBackMs = 12;

/**
 * A writer for one session.
 *
 * @param onIdle - called when the lock is given back and nothing waits
 */
export function createSessionWriter(
  sessionId: string,
  files: SessionFiles,
  options: ResolvedFileOptions,
  onIdle: () => void,
): SessionWriter {
  const { port } = options;
  let owner: Owner | null = null;
  let log: OpenLog | null = null;
  let askedAt = 0;
  /** Changes that run or wait. */
  let pending = 0;
  const line: Array<() => void> = [];
  let leaving = false;
  let linger: NodeJS.Timeout | undefined;
  let changedMeanwhile = false;

  /** One after the other, whatever the one before came to. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    pending += 1;
    if (pending > 1) await new Promise<void>((resolve) => void line.push(resolve));
    try {
      return await work();
    } finally {
      pending -= 1;
      line.shift()?.();
      if (pending === 0 && owner === null) onIdle();
    }
  }

  async function acquire(): Promise<Owner> {
    await giveBack();
    for (;;) {
      const acquired = await acquireOwner(files, sessionId, {
        port,
        staleMs: options.lockStaleMs,
        busyTimeoutMs: options.busyTimeoutMs,
      });
      try {
        if (acquired.tookOver) await giveNewInode(acquired);
        owner = acquired;
        askedAt = Date.now();
        return acquired;
      } catch (error) {
        const replaced = !stillOwns(acquired, port);
        await acquired.abandon();
        if (!replaced) throw error;
      }
    }
  }

  /**
   * Puts the log into a new file, so that an owner who was replaced and wakes up late appends to one
   * that nobody opens any more.
   */
  async function giveNewInode({ directory }: Owner): Promise<void> {
    const source = unlessMissing(() => port.statSync(files.log));
    if (source === null) return;
    const copy = join(directory, "copy");
    await new Promise<void>((resolve, reject) => {
      port.copyFile(files.log, copy, constants.COPYFILE_FICLONE, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    await withFile(port, copy, "r+", async (fd) => {
      port.futimesSync(fd, source.atimeMs / 1_000, source.mtimeMs / 1_000);
      if (options.durability === "power") await syncFile(port, fd);
    });
    port.renameSync(copy, files.log);
    if (options.durability === "power") await syncDirectory(port, options.dir);
  }

  function forgetLog(): void {
    const former = log;
    log = null;
    try {
      if (former !== null) port.closeSync(former.fd);
    } catch {
      // The descriptor is gone either way, and what was acknowledged was synced before.
    }
  }

  async function giveBack(): Promise<void> {
    clearTimeout(linger);
    linger = undefined;
    forgetLog();
    const former = owner;
    owner = null;
    leaving = false;
    await former?.release();
  }

  async function run<T>(work: (held: Held) => Promise<T>): Promise<T> {
    // Whether it is still ours is asked after a write, where the answer counts.
    const current = owner !== null && !owner.lost ? owner : await acquire();
    let repair: Repair | null = null;
    const held: Held = {
      owner: current,
      path: files.log,
      repair: () => repair,
      leave: () => void (leaving = true),
      adopt(replacement) {
        forgetLog();
        log = replacement;
      },
      async log() {
        if (log !== null && isUnchanged(port, log)) return log;
        forgetLog();
        const ours = (): boolean => stillOwns(current, port);
        const opened = await openLog(options, files.log, sessionId, ours);
        if (opened === null) return null;
        log = opened.log;
        repair = opened.repair;
        if (repair !== null) options.onTornTail(sessionId, repair);
        return log;
      },
    };
    try {
      return await work(held);
    } catch (error) {
      // Whatever went wrong, the next change looks at the file with fresh eyes.
      forgetLog();
      // The way out of our own directory is gone: a rename that came too late.
      const replaced = errorCode(error) === "ENOENT" && !stillOwns(current, port);
      throw replaced ? new LostOwnershipError(sessionId) : error;
    }
  }

  /** Asked once per share and not once per change. */
  function isContended(): boolean {
    const time = Date.now();
    if (time - askedAt < shareMs) return false;
    askedAt = time;
    return isWanted(files, port);
  }

  /** After each change: gives the lock back, or keeps it for a while. */
  async function settle(): Promise<void> {
    const wanted = isContended();
    if (!leaving && !wanted && (pending > 1 || options.lockLingerMs > 0)) {
      if (linger === undefined) lingerFor(options.lockLingerMs);
      else changedMeanwhile = true;
      return;
    }
    const contended = wanted && !leaving;
    await giveBack();
    if (contended && pending > 1) await sleep(standBackMs * (0.5 + Math.random()));
  }

  /**
   * Keeps the lock while nobody else wants it, for so long without a change. Setting a timer anew at
   * every change would cost more than letting it look.
   */
  function lingerFor(leftMs: number): void {
    const stepMs = Math.min(leftMs, askEveryMs);
    changedMeanwhile = false;
    linger = setTimeout(() => {
      linger = undefined;
      if (pending > 0) return;
      const restMs = changedMeanwhile ? options.lockLingerMs : leftMs - stepMs;
      if (restMs > 0 && !isWanted(files, port)) lingerFor(restMs);
      else void inTurn(giveBack);
    }, stepMs).unref();
  }

  return {
    run: (work) =>
      inTurn(async () => {
        try {
          return await run(work);
        } finally {
          if (owner !== null) await settle();
        }
      }),
    close: () => inTurn(giveBack),
  };
}
