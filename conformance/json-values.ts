import { runInNewContext } from "node:vm";
import * as fc from "fast-check";

/** Any UTF-16 text, well-formed or not. */
const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "\udc00\ud800",
    "\u2028\u2029",
    "\ufeff",
    "\r\n",
    "\u{1f600}",
  ),
);

const names: fc.Arbitrary<string> = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "toString", "toJSON", "length", "", "0", "10", "9"),
);

const number: fc.Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 2 ** 53 - 1, -(2 ** 53 - 1), 1e308, -1e308, 5e-324, 0.1),
);

/** Objects with own properties, `__proto__` among them, in every order. */
function objectOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const entries = fc.array(fc.tuple(names, value), { maxLength: 5 });
  return entries.map((list) => Object.fromEntries(list) as object);
}

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, text),
    fc.array(tie("value"), { maxLength: 5 }),
    objectOf(tie("value")),
  ),
}));

/** JSON objects with everything in them that stores have been known to change. */
export const jsonObject: fc.Arbitrary<object> = objectOf(value);

/** `depth` objects and arrays by turns, one inside the other. */
export function nested(depth: number): object {
  let event: object = { end: true };
  for (let left = depth - 2; left >= 0; left -= 1) event = left % 2 === 0 ? { in: event } : [event];
  return event;
}

/** Events that are known to be hard to keep, by name. */
export const hardEvents: ReadonlyArray<readonly [name: string, event: object]> = [
  ["U+0000", { "a\0b": "\0", text: "x\0y" }],
  ["unpaired surrogates", { "\udfff": "\ud800", text: "a\udc00\ud800b" }],
  ["line separators", { "\u2028": "\u2029", text: "\r\n\r\n\u0085" }],
  ["astral characters", { "\u{1f600}": "\u{10ffff}\u{1d306}" }],
  ["a byte order mark", { "\ufeff": "\ufeff\ufffe\uffff" }],
  ["escapes", { text: '\\ \\u0041 \\" \u007f \b\f\n\r\t', "\\": '"' }],
  ["NFC and NFD", { "\u00e9": "e\u0301", "e\u0301": "\u00e9" }],
  ["a __proto__ key", JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}') as object],
  ["the order of keys", { z: 1, a: 2, "10": 3, "9": 4, "-1": 5, "01": 6, "": 7 }],
  ["large numbers", { list: [2 ** 53 - 1, -(2 ** 53 - 1), 1e308, -1e308, 5e-324, 1e21, 0.1] }],
  ["empty things", { object: {}, list: [], text: "", deep: [[], [{}]], "": null }],
  ["an empty event", {}],
  ["500 levels", nested(500)],
  ["1 MiB of text", { text: "line\r\n\u20ac\u{1f600} ".repeat(75_000) }],
  ["words that SQL and JSON tools trip over", { $1: "'; --", "%": "%s", null: "null", NaN: "1" }],
];

/** Objects that look unusual and yet are plain JSON. */
export function unusualEvents(): ReadonlyArray<readonly [event: object, json: string]> {
  const shared = { n: 1 };
  return [
    [{ gone: undefined, kept: null, deep: { gone: undefined } }, '{"kept":null,"deep":{}}'],
    [{ zero: -0, list: [-0] }, '{"zero":0,"list":[0]}'],
    [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
    [Object.freeze({ a: Object.freeze([1]) }), '{"a":[1]}'],
    [{ twice: [shared, shared] }, '{"twice":[{"n":1},{"n":1}]}'],
    [runInNewContext("({ a: [1, { b: 2 }] })") as object, '{"a":[1,{"b":2}]}'],
    [{ toJSON: "text" }, '{"toJSON":"text"}'],
  ];
}
