import { constants } from "node:fs";
import { nodeFilePort, type FilePort } from "../../adapters/file/index.ts";

/** A function of the file port. */
export type PortName = keyof FilePort;

/** One call through the port. */
export interface PortCall {
  readonly name: PortName;
  readonly args: readonly unknown[];
}

/** What happens around a call. A hook that throws makes the call fail with what it throws. */
export interface PortHooks {
  /** Instead of the call when it throws. */
  before?(call: PortCall): void;
  /** Once the call succeeded and before its caller hears of it. */
  after?(call: PortCall, result: unknown): void;
  /** Once the call is over, however it ended. */
  settled?(call: PortCall): void;
  /** Other arguments for the call. */
  replace?(call: PortCall): readonly unknown[];
  /** Holds back a call that has a callback. */
  hold?(call: PortCall): Promise<void> | undefined;
}

const readingNames: ReadonlySet<PortName> = new Set<PortName>([
  "closeSync",
  "fstatSync",
  "read",
  "readSync",
  "readdirSync",
  "realpath",
  "stat",
  "statSync",
  "watch",
]);

/** Whether a call may change what is on the disk. */
export function isMutating({ name, args }: PortCall): boolean {
  if (name !== "openSync") return !readingNames.has(name);
  const flags = args[1];
  return typeof flags === "number"
    ? (flags & constants.O_CREAT) !== 0
    : /^[wa]/.test(String(flags));
}

/** A port with hooks around every call of another one. */
export function hookPort(hooks: PortHooks, inner: FilePort = nodeFilePort): FilePort {
  // A proxy, so that a function the adapter learns to use tomorrow is hooked as well.
  return new Proxy({} as FilePort, {
    get(own, name) {
      if (typeof name === "symbol" || name in own) return Reflect.get(own, name) as unknown;
      const hooked = hookFunction(hooks, inner, name as PortName);
      Reflect.set(own, name, hooked);
      return hooked;
    },
  });
}

type PlainFunction = (...args: readonly unknown[]) => unknown;

function hookFunction(hooks: PortHooks, inner: FilePort, name: PortName): PlainFunction {
  // Functions of many types, and all of them are treated alike.
  const plain = inner[name] as PlainFunction;
  return (...args) => {
    const call = { name, args };
    const last = args.at(-1);
    if (name !== "watch" && typeof last === "function") {
      return void runLater(hooks, plain, call, last as Callback);
    }
    hooks.before?.(call);
    try {
      const result = plain(...(hooks.replace?.(call) ?? args));
      hooks.after?.(call, result);
      return result;
    } finally {
      hooks.settled?.(call);
    }
  };
}

type Callback = (error: unknown, ...results: unknown[]) => void;

async function runLater(
  hooks: PortHooks,
  plain: PlainFunction,
  call: PortCall,
  callback: Callback,
): Promise<void> {
  await hooks.hold?.(call);
  try {
    hooks.before?.(call);
  } catch (error) {
    // As the real functions do: never before the caller has returned.
    setImmediate(callback, error);
    return;
  }
  const args = (hooks.replace?.(call) ?? call.args).slice(0, -1);
  plain(...args, (error: unknown, ...results: unknown[]) => {
    let failure = error;
    try {
      if (error === null || error === undefined) hooks.after?.(call, results[0]);
    } catch (thrown) {
      failure = thrown;
    }
    hooks.settled?.(call);
    callback(failure, ...results);
  });
}

/** An error as the file system throws it. */
export function systemError(code: string, { name, args }: PortCall): NodeJS.ErrnoException {
  const path = typeof args[0] === "string" ? args[0] : undefined;
  const error = Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });
  return path === undefined ? error : Object.assign(error, { path });
}
