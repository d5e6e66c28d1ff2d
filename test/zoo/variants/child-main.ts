import { createInterface } from "node:readline";
import process from "node:process";
import { memoryStore } from "../../../adapters/memory/index.ts";
import { collect } from "../../../conformance/collect.ts";
import { isCheckpointError, type RecordRange, type RecordStore } from "../../../src/index.ts";

const stores = new Map<number, RecordStore>();

interface Request {
  readonly call: number;
  readonly store: number;
  readonly method: "head" | "commit" | "list" | "delete" | "read";
  readonly given: never[];
}

createInterface({ input: process.stdin }).on("line", (line) => {
  void answer(JSON.parse(line) as Request);
});

async function answer({ call, store, method, given }: Request): Promise<void> {
  try {
    const result = await run(storeOf(store), method, given);
    process.stdout.write(`${JSON.stringify({ call, result })}\n`);
  } catch (error) {
    const code = isCheckpointError(error) ? error.code : "IO_FAILED";
    process.stdout.write(`${JSON.stringify({ call, error: { code, message: String(error) } })}\n`);
  }
}

function storeOf(number: number): RecordStore {
  const store = stores.get(number) ?? memoryStore();
  stores.set(number, store);
  return store;
}

async function run(
  store: RecordStore,
  method: Request["method"],
  given: never[],
): Promise<unknown> {
  if (method === "read") {
    const [sessionId, range] = given as unknown as [string, RecordRange];
    return (await collect(store.read(sessionId, range))).flat();
  }
  const call = store[method] as (...all: never[]) => ReturnType<RecordStore["head"]>;
  return (await call(...given)) ?? null;
}
