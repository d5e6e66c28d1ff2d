import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzz } from "../test/contract/fuzz.ts";
import { hardEvents, jsonObject, nested, unusualEvents } from "../conformance/json-values.ts";
import { refusedEvents } from "../conformance/refused-events.ts";
import { isCheckpointError, type ErrorCode } from "./errors.ts";
import { limits } from "./limits.ts";
import { serializeEvent } from "./serialize-event.ts";

const most = limits.maxEventBytes;

/** The message of a refusal. */
function refusal(event: unknown, code: ErrorCode, maxEventBytes = most): string {
  try {
    serializeEvent(event, 4, maxEventBytes);
  } catch (error) {
    if (isCheckpointError(error, code)) return error.message;
    throw error;
  }
  throw new Error("wanted a refusal, met a text");
}

/** An object that unfolds into 2^depth values, and fails when far too many are looked at. */
function unfolding(depth: number): object {
  let looks = 0;
  let event: object = { end: true };
  for (let level = 0; level < depth; level += 1) {
    const child = event;
    const look = { enumerable: true, get: () => ((looks += 1) > 200_000 ? endless() : child) };
    event = Object.defineProperties({}, { a: look, b: look });
  }
  return event;
}

function endless(): never {
  throw new Error("looks at values without end");
}

describe("serializeEvent() keeps", () => {
  test.each(hardEvents)("%s", (_name, event) => {
    const text = serializeEvent(event, 0, most);
    expect(text === JSON.stringify(event)).toBe(true);
    expect(text).not.toMatch(/[\n\r]/);
    expect(text.isWellFormed()).toBe(true);
  });

  test("plain data whatever its prototype", () => {
    for (const [event, json] of unusualEvents()) expect(serializeEvent(event, 0, most)).toBe(json);
  });

  test("generated events", () => {
    const check = fc.property(jsonObject, (event) => {
      const text = serializeEvent(event, 0, most);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(event));
    });
    fc.assert(check, fuzz(500));
  });
});

describe("serializeEvent() refuses", () => {
  test.each(refusedEvents)("$what, at $path", ({ event, path }) => {
    const message = refusal(event, "EVENT_NOT_SERIALIZABLE");
    expect(message.startsWith(`Cannot append event 4: ${path} `)).toBe(true);
    expect(message.endsWith("; JSON cannot carry it")).toBe(true);
  });

  test.each([
    [{ when: new Date(0) }, "is an instance of Date"],
    [{ big: 1n }, "is a bigint"],
    [{ ratio: NaN }, "is NaN"],
    [{ run: () => 1 }, "is a function"],
    [{ list: [undefined] }, "is undefined"],
    [{ list: Object.assign([], { length: 1 }) }, "is an array with holes"],
    [{ list: Object.assign([1], { x: 1 }) }, "is an array with other properties"],
    [{ bytes: new Uint8Array(1) }, "is an instance of Uint8Array"],
    [{ own: { toJSON: () => 1 } }, "has a toJSON method"],
    [{ [Symbol("s")]: 1 }, "has a symbol as a key"],
    [[], "is an array, wanted a JSON object"],
    [null, "is null, wanted a JSON object"],
  ])("%o and says why", (event, why) => {
    expect(refusal(event, "EVENT_NOT_SERIALIZABLE")).toContain(` ${why}`);
  });

  test("a name of a class that would spoil the message", () => {
    const event = { value: Object.create({ constructor: { name: "\u001b[31m" } }) as object };
    expect(refusal(event, "EVENT_NOT_SERIALIZABLE")).toMatch(/^[\x20-\x7e]*$/);
  });

  test("a deep fault with a path of bounded length", () => {
    let event: object = { fault: NaN };
    for (let level = 0; level < 300; level += 1) event = { [`level${level}`]: event };
    const message = refusal(event, "EVENT_NOT_SERIALIZABLE");
    expect(message.length).toBeLessThan(400);
    expect(message).toContain(".fault is NaN");
  });

  test("a getter whose value changes into something else", () => {
    let looks = 0;
    const event = {
      get value(): unknown {
        return (looks += 1) > 1 ? 1n : 1;
      },
    };
    expect(refusal(event, "EVENT_NOT_SERIALIZABLE")).toContain("changed while it was read");
  });

  test("more than 1,000 levels", () => {
    serializeEvent(nested(1_000), 0, most);
    expect(refusal(nested(1_001), "LIMIT_EXCEEDED")).toContain("nested deeper than 1000 levels");
  });

  test.each([
    ["ASCII", "x"],
    ["two bytes", "\u00e9"],
    ["three bytes", "\u20ac"],
    ["four bytes", "\u{1f600}"],
  ])("one byte too many, counted in UTF-8: %s", (_name, character) => {
    const event = { text: character.repeat(50) };
    const bytes = Buffer.byteLength(JSON.stringify(event));
    expect(serializeEvent(event, 0, bytes)).toBe(JSON.stringify(event));
    expect(refusal(event, "LIMIT_EXCEEDED", bytes - 1)).toContain(`${bytes} bytes of JSON`);
  });

  test("few objects that unfold into very many, in bounded time", () => {
    expect(refusal(unfolding(40), "LIMIT_EXCEEDED", 10_000)).toContain("Cannot append event 4");
  });
});
