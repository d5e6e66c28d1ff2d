import { SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryStore } from "../adapters/memory/index.ts";
import { openTelemetrySpans } from "../examples/opentelemetry/open-telemetry-spans.ts";
import { CheckpointError, createCheckpointer, type Checkpointer } from "../src/index.ts";
import { collect } from "./testing/collect.ts";
import { traceSpan, tracedCheckpointer, tracedStore } from "./trace.ts";

const canary = "canary-4711";
const event = { type: "user", content: canary } as const;

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let stop: () => void;
let checkpointer: Checkpointer;

beforeEach(() => {
  exporter.reset();
  stop = openTelemetrySpans(provider.getTracer("test"));
  checkpointer = tracedCheckpointer(createCheckpointer(tracedStore(memoryStore())));
});

afterEach(async () => {
  stop();
  await checkpointer.close();
});

/** `parent > child`, in the order in which they ended. */
function paths(): string[] {
  const spans = exporter.getFinishedSpans();
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    const name = span.name.replace("checkpointer.", "");
    return parent === undefined ? name : `${pathOf(parent)} > ${name}`;
  };
  return spans.map(pathOf);
}

const named = (name: string): ReadableSpan =>
  exporter.getFinishedSpans().find((span) => span.name === `checkpointer.${name}`)!;

describe("openTelemetrySpans()", () => {
  it("puts a commit inside its append, and an append inside what it is a part of", async () => {
    await traceSpan("restore", { sessionId: "s", seq: 1 }, () => checkpointer.append("s", [event]));
    expect(paths()).toEqual(["restore > append > commit", "restore > append", "restore"]);
    expect(named("restore").attributes).toEqual({
      "checkpointer.session.id": "s",
      "checkpointer.seq": 1,
    });
    expect(named("append").attributes).toEqual({
      "checkpointer.session.id": "s",
      "checkpointer.events": 1,
      "checkpointer.head": 1,
    });
    expect(named("append").status.code).toBe(SpanStatusCode.UNSET);
  });

  it("counts what a read gave, also when its loop ends early", async () => {
    await checkpointer.append("s", [event, event, event]);
    exporter.reset();
    for await (const { seq } of checkpointer.read("s", { sinceSeq: 1 })) if (seq === 2) break;
    await collect(checkpointer.read("s"));
    const spans = exporter.getFinishedSpans().map(({ name, attributes }) => ({
      name,
      events: attributes["checkpointer.events"],
      seq: attributes["checkpointer.seq"],
      head: attributes["checkpointer.head"],
    }));
    expect(spans).toEqual([
      { name: "checkpointer.read", events: 1, seq: 1, head: 2 },
      { name: "checkpointer.read", events: 3, seq: 0, head: 3 },
    ]);
  });

  it("marks what failed with its code", async () => {
    await expect(checkpointer.append("s", [event], 7)).rejects.toThrow("expected head 7");
    await expect(collect(checkpointer.read(""))).rejects.toMatchObject({
      code: "INVALID_SESSION_ID",
    });
    const failed = ["append", "read"].map((name) => ({
      status: named(name).status,
      type: named(name).attributes["error.type"],
    }));
    expect(failed).toEqual([
      { status: { code: SpanStatusCode.ERROR, message: "CONFLICT" }, type: "CONFLICT" },
      {
        status: { code: SpanStatusCode.ERROR, message: "INVALID_SESSION_ID" },
        type: "INVALID_SESSION_ID",
      },
    ]);
  });

  it("holds nothing of events, keys, paths and messages", async () => {
    const idempotencyKey = canary;
    await checkpointer.append("s", [event], { idempotencyKey });
    await expect(
      checkpointer.append("s", [event, event], { idempotencyKey }),
    ).rejects.toMatchObject({ code: "IDEMPOTENCY_MISMATCH" });
    await collect(checkpointer.read("s"));
    const failures: Error[] = [
      new CheckpointError("IO_FAILED", `cannot open /home/${canary}`),
      Object.assign(new Error(canary), { name: `/${canary}` }),
      canary as never,
    ];
    for (const failure of failures) {
      const work = (): Promise<void> => Promise.reject(failure);
      await expect(traceSpan("compact", { sessionId: "s" }, work)).rejects.toBe(failure);
    }
    const spans = exporter.getFinishedSpans().map(({ name, attributes, status, events, links }) => {
      return { name, attributes, status, events, links };
    });
    const codes = spans.map(({ attributes }) => attributes["error.type"]).filter(Boolean);
    expect(codes).toEqual(["IDEMPOTENCY_MISMATCH", "IO_FAILED", "UNKNOWN", "UNKNOWN"]);
    expect(JSON.stringify(spans)).not.toContain(canary);
  });

  it("stops", async () => {
    stop();
    await checkpointer.append("s", [event]);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
