/** Whatever JSON would drop or change, and where the refusal has to point. */
export interface RefusedEvent {
  readonly what: string;
  readonly event: unknown;
  readonly path: string;
}

class Point {
  x = 1;
}

class List extends Array<number> {}

function cycle(): object {
  const event: { a: { list: unknown[] } } = { a: { list: [1] } };
  event.a.list.push(event.a);
  return event;
}

/** Values, each put two levels deep into an event. */
const refusedValues: ReadonlyArray<readonly [what: string, value: unknown]> = [
  ["a Date", new Date(0)],
  ["an invalid Date", new Date(NaN)],
  ["a Map", new Map([[1, 2]])],
  ["a Set", new Set([1])],
  ["a WeakMap", new WeakMap()],
  ["a RegExp", /x/],
  ["an Error", new Error("x")],
  ["a Promise", Promise.resolve(1)],
  ["a URL", new URL("https://example.org")],
  ["a BigInt", 1n],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a boxed number", Object(1)],
  ["a boxed string", Object("text")],
  ["a class instance", new Point()],
  ["an object with another prototype", Object.create({ inherited: 1 })],
  ["an object with a symbol key", { [Symbol("s")]: 1 }],
  ["an object with a toJSON method", { toJSON: () => 1 }],
  ["a typed array", new Uint8Array(2)],
  ["a Float64Array", new Float64Array([1])],
  ["an ArrayBuffer", new ArrayBuffer(2)],
  ["a Buffer", Buffer.from("text")],
  ["an array with a hole", [1, , 3]], // oxlint-disable-line no-sparse-arrays
  ["an empty array with a length", Object.assign([], { length: 3 })],
  ["an array with other properties", Object.assign([1], { extra: 2 })],
  ["an array with a symbol key", Object.assign([1], { [Symbol("s")]: 2 })],
  ["an array with a toJSON method", Object.assign([1], { toJSON: () => 1 })],
  ["an array of a subclass", List.from([1])],
];

/** Every refused event with its path. */
export const refusedEvents: readonly RefusedEvent[] = [
  ...refusedValues.map(([what, value]) => ({
    what,
    event: { message: { content: [0, 1, { input: { when: value } }] } },
    path: "$.message.content[2].input.when",
  })),
  { what: "undefined in an array", event: { list: [1, undefined] }, path: "$.list[1]" },
  { what: "a cycle", event: cycle(), path: "$.a.list[1]" },
  { what: "a key that is no name", event: { "a b": { "": NaN } }, path: '$["a b"][""]' },
  { what: "a class instance as event", event: new Point(), path: "$" },
  { what: "a Date as event", event: new Date(0), path: "$" },
  { what: "a Map as event", event: new Map(), path: "$" },
  { what: "an array as event", event: [1], path: "$" },
  { what: "null as event", event: null, path: "$" },
  { what: "undefined as event", event: undefined, path: "$" },
  { what: "a string as event", event: "text", path: "$" },
  { what: "a number as event", event: 1, path: "$" },
  { what: "a function as event", event: () => 1, path: "$" },
];
