import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { SpanContext, SpanName } from "../../agent/index.ts";

const names: readonly SpanName[] = ["append", "read", "commit", "restore", "compact"];

/**
 * Makes an OpenTelemetry span of everything checkpointer-kit traces: `checkpointer.append` and so on, each
 * inside the one it was called from, or else inside the active span of the program.
 *
 * @returns stops it
 */
export function openTelemetrySpans(tracer: Tracer): () => void {
  const current = new AsyncLocalStorage<Context>();
  const spans = new WeakMap<SpanContext, Span>();

  const stops = names.map((name) => {
    const { start } = tracingChannel<Context, SpanContext>(`checkpointer-kit:${name}`);
    const ended = `tracing:checkpointer-kit:${name}:asyncEnd`;
    const begin = (about: SpanContext): Context => {
      const parent = current.getStore() ?? context.active();
      const attributes = { "checkpointer.session.id": about.sessionId };
      const span = tracer.startSpan(`checkpointer.${name}`, { attributes }, parent);
      spans.set(about, span);
      return trace.setSpan(parent, span);
    };
    const end = (message: unknown): void => {
      const about = message as SpanContext;
      const span = spans.get(about);
      if (about.events !== undefined) span?.setAttribute("checkpointer.events", about.events);
      if (about.seq !== undefined) span?.setAttribute("checkpointer.seq", about.seq);
      if (about.head !== undefined) span?.setAttribute("checkpointer.head", about.head);
      if (about.error !== undefined) {
        span?.setAttribute("error.type", about.error.code);
        span?.setStatus({ code: SpanStatusCode.ERROR, message: about.error.code });
      }
      span?.end();
    };
    start.bindStore(current, begin);
    subscribe(ended, end);
    return () => {
      start.unbindStore(current);
      unsubscribe(ended, end);
    };
  });

  return () => {
    for (const stop of stops) stop();
  };
}
