import { limits } from "./limits.ts";
import type { Base } from "./record-store.ts";

/** One `append()` that waits for its turn. Settled exactly once, through resolve or reject. */
export interface PendingAppend {
  /** JSON texts, captured at the call. */
  readonly texts: readonly string[];
  /** Sum of the texts' lengths. */
  readonly size: number;
  readonly expected: Base | null;
  /** `expected` as the caller gave it, for the conflict error. */
  readonly expectedHead: number | string;
  readonly key: string | undefined;
  /** Set when its commit starts; from then on an abort comes too late. */
  started: boolean;
  /** Set when it was aborted before it started; it is already settled. */
  cancelled: boolean;
  readonly resolve: (head: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Work that must keep its place among the appends of its session, such as a truncate. */
type Work = () => Promise<void>;

type Item = PendingAppend | Work;

/** The changes of one session. Some idle ones are kept: an entry that comes and goes costs more. */
interface Queue {
  readonly sessionId: string;
  readonly waiting: Item[];
  busy: boolean;
}

/** The waiting changes of every session of one handle. */
export interface AppendQueue {
  /** Adds an append; starts at once, synchronously, when nothing of that session is running. */
  append(sessionId: string, append: PendingAppend): void;
  /** Runs `work` after every earlier change of that session and before every later one. */
  inOrder<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
}

/** Commits appends in order, settles each, then calls `onSettled`. Must not throw. */
export type CommitGroup = (
  sessionId: string,
  group: PendingAppend[],
  onSettled: () => void,
) => void;

/**
 * Keeps changes to one session in the order they were issued and merges appends that wait behind
 * a running commit into one, so that N concurrent writers share one lock, one sync, one round trip.
 *
 * @param settled - told whenever appends of a session were settled
 */
export function createAppendQueue(
  commitGroup: CommitGroup,
  settled: (sessionId: string) => void,
): AppendQueue {
  const queues = new Map<string, Queue>();
  let busyQueues = 0;
  const whenIdle: Array<() => void> = [];
  /** When the current turn of the event loop was first seen; undefined in a fresh one. */
  let turnBegan: number | undefined;

  function add(sessionId: string, item: Item): void {
    let queue = queues.get(sessionId);
    if (queue === undefined) {
      queue = { sessionId, waiting: [], busy: false };
      queues.set(sessionId, queue);
    }
    if (queue.busy) {
      queue.waiting.push(item);
      return;
    }
    queue.busy = true;
    busyQueues += 1;
    if (typeof item === "function") runWork(queue, item);
    else runGroup(queue, [item]);
  }

  /** Whether the event loop has not turned for so long that timers and sockets are waiting. */
  function isLate(): boolean {
    const time = Date.now();
    if (turnBegan !== undefined) return time - turnBegan > longestTurnMs;
    turnBegan = time;
    void nextTick().then(() => void (turnBegan = undefined));
    return false;
  }

  function runGroup(queue: Queue, group: PendingAppend[]): void {
    // A store that answers at once and a caller that appends in a loop would never leave the
    // microtask queue.
    if (isLate()) void nextTick().then(() => startGroup(queue, group));
    else startGroup(queue, group);
  }

  // Callbacks and no promises: this is the path of every append, and each step costs it.
  function startGroup(queue: Queue, group: PendingAppend[]): void {
    commitGroup(queue.sessionId, group, () => {
      settled(queue.sessionId);
      if (group.length === 1 && queue.waiting.length === 0) rest(queue);
      else void comeBack(group.length > 1).then(() => advance(queue));
    });
  }

  /**
   * Lets writers that append in a loop join those that wait. Starting without them would commit one
   * alone and let the rest wait for a second commit: half the throughput. Many of them come back in
   * this tick; one comes back at once, or awaits its append in a function of its own.
   */
  function comeBack(many: boolean): Promise<void> {
    return many ? nextTick() : Promise.resolve().then(() => undefined);
  }

  function runWork(queue: Queue, work: Work): void {
    void work().then(() => advance(queue));
  }

  function advance(queue: Queue): void {
    const { waiting } = queue;
    const [first] = waiting;
    if (first === undefined) rest(queue);
    else if (typeof first === "function") {
      waiting.shift();
      runWork(queue, first);
    } else runGroup(queue, takeGroup(waiting));
  }

  /** Nothing waits; the next change starts at once. */
  function rest(queue: Queue): void {
    queue.busy = false;
    busyQueues -= 1;
    if (queues.size > limits.rememberedSessions) queues.delete(queue.sessionId);
    if (busyQueues > 0 || whenIdle.length === 0) return;
    for (const resolve of whenIdle.splice(0)) resolve();
  }

  return {
    append: add,
    inOrder(sessionId, work) {
      return new Promise((resolve, reject) => {
        // Asynchronous itself, so that work which throws at once rejects like any other.
        const guarded = async (): Promise<void> => work().then(resolve, reject);
        add(sessionId, () => guarded().catch(reject));
      });
    },
    async idle() {
      if (busyQueues > 0) await new Promise<void>((resolve) => void whenIdle.push(resolve));
    },
  };
}

/** Milliseconds of appends in one turn of the event loop before everything else gets one. */
const longestTurnMs = 5;

const noKeys: ReadonlySet<string> = new Set();

/** Takes as many appends from the front as one commit should hold; at least one. */
function takeGroup(queue: Item[]): PendingAppend[] {
  if (queue.length === 1) return queue.splice(0) as PendingAppend[];
  const group: PendingAppend[] = [];
  const keys = new Set<string>();
  let events = 0;
  let size = 0;
  for (const item of queue) {
    if (typeof item === "function") break;
    events += item.texts.length;
    size += item.size;
    const full = events > limits.mergeMaxEvents || size > limits.mergeMaxBytes;
    if (group.length > 0 && (full || !joins(item, keys))) break;
    group.push(item);
    if (item.key !== undefined) keys.add(item.key);
    if (!joins(item, noKeys)) break;
  }
  queue.splice(0, group.length);
  return group;
}

/**
 * Whether an append may share a commit. Its key must win over its expectation or its emptiness, which
 * only the store can tell, so with both it goes alone; one commit cannot hold the same key twice.
 */
function joins(append: PendingAppend, keys: ReadonlySet<string>): boolean {
  if (append.key === undefined) return true;
  if (append.texts.length === 0) return false;
  return append.expected === null && !keys.has(append.key);
}

/** A macrotask; `setImmediate` where it exists because timers wait a millisecond. */
function nextTick(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}
