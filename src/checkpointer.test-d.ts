import { assertType, expectTypeOf, test } from "vitest";
import { fileCheckpointer } from "../adapters/file/index.ts";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import { sqliteCheckpointer } from "../adapters/sqlite/index.ts";
import {
  createCheckpointer,
  isCheckpointError,
  type AppendOptions,
  type CheckpointError,
  type Checkpointer,
  type ErrorCode,
  type HeadToken,
  type MinimalCheckpointer,
  type RecordStore,
  type SessionEvent,
  type SessionInfo,
  type StoredEvent,
} from "./index.ts";

interface MyEvent {
  readonly kind: "said" | "done";
  readonly text?: string;
}

declare const mine: Checkpointer<MyEvent>;
declare const store: RecordStore;

test("a checkpointer has the event type that its caller names", () => {
  expectTypeOf(memoryCheckpointer<MyEvent>()).toExtend<Checkpointer<MyEvent>>();
  expectTypeOf(fileCheckpointer<MyEvent>({ dir: "x" })).toExtend<Checkpointer<MyEvent>>();
  expectTypeOf(sqliteCheckpointer<MyEvent>({ file: "x" })).toExtend<Checkpointer<MyEvent>>();
  expectTypeOf(createCheckpointer<MyEvent>(store)).toEqualTypeOf<Checkpointer<MyEvent>>();
});

test("the default event type is SessionEvent", () => {
  expectTypeOf(memoryCheckpointer()).toEqualTypeOf<Checkpointer<SessionEvent>>();
  expectTypeOf(createCheckpointer(store)).toEqualTypeOf<Checkpointer>();
  expectTypeOf<StoredEvent["event"]>().toEqualTypeOf<SessionEvent>();
});

test("append() takes events of that type and no other", () => {
  assertType<Promise<number>>(mine.append("a", [{ kind: "said", text: "hello" }]));
  assertType<Promise<number>>(mine.append("a", [{ kind: "done" }] as const));
  // @ts-expect-error another kind
  void mine.append("a", [{ kind: "other" }]);
  // @ts-expect-error one event is no array
  void mine.append("a", { kind: "done" });
  // @ts-expect-error no event is a string
  assertType<Checkpointer<string>>(memoryCheckpointer<string>());
});

test("append() takes a seq, a token or options as its expectation", () => {
  const token = "generation:3" as HeadToken;
  const options: AppendOptions = { expectedHead: token, idempotencyKey: undefined };
  for (const expected of [0, token, options, undefined]) void mine.append("a", [], expected);
  expectTypeOf(mine.headToken("a")).resolves.toEqualTypeOf<HeadToken>();
  // @ts-expect-error null is no expectation
  void mine.append("a", [], null);
  // @ts-expect-error not every string is a token
  void mine.append("a", [], "3");
});

test("read() and tail() yield stored events of that type, which are read-only at the top", () => {
  expectTypeOf(mine.read("a")).toEqualTypeOf<AsyncIterable<StoredEvent<MyEvent>>>();
  expectTypeOf(mine.tail("a")).toEqualTypeOf<AsyncIterable<StoredEvent<MyEvent>>>();
  expectTypeOf<StoredEvent<MyEvent>>().toEqualTypeOf<{
    readonly seq: number;
    readonly sessionId: string;
    readonly parentSeq: number | null;
    readonly ts: string;
    readonly event: MyEvent;
  }>();
});

test("a session event is told apart by its type", () => {
  const kind = (event: SessionEvent) => (event.type === "tool_result" ? event.callId : undefined);
  expectTypeOf(kind).returns.toEqualTypeOf<string | undefined>();
});

test("an object with five methods is a minimal checkpointer", () => {
  const minimal = {
    append: async (_sessionId: string, _events: readonly MyEvent[], _expectedHead?: number) => 1,
    async *read(_sessionId: string): AsyncIterable<StoredEvent<MyEvent>> {},
    head: async (_sessionId: string) => 0,
    list: async (): Promise<SessionInfo[]> => [],
    delete: async (_sessionId: string) => {},
  };
  assertType<MinimalCheckpointer<MyEvent>>(minimal);
  assertType<MinimalCheckpointer<MyEvent>>({ ...minimal, truncate: async () => {} });
  assertType<MinimalCheckpointer<MyEvent>>(mine);
  const { head: _head, ...headless } = minimal;
  // @ts-expect-error without head() it is none
  assertType<MinimalCheckpointer<MyEvent>>(headless);
});

test("isCheckpointError() narrows to an error with a known code", () => {
  const error: unknown = undefined;
  if (isCheckpointError(error)) {
    expectTypeOf(error).toEqualTypeOf<CheckpointError>();
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  }
  // @ts-expect-error not a code
  isCheckpointError(error, "NO_SUCH_CODE");
});
