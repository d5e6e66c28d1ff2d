import { expect, it } from "vitest";
import { asOneLine, asTyped, pastesAsLines } from "./pasted-text.ts";

async function read(chunks: readonly string[]): Promise<string> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk, "latin1");
  }
  let text = "";
  for await (const piece of pastesAsLines(bytes())) text += piece;
  return text;
}

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

it("what is pasted is one line, with its line ends and tabs as symbols, and no other keys", async () => {
  const pasted = "a\r\nb\rc\nd\te\u0003\u001b[A";
  const sent = `x\r\u001b[200~${pasted}\u001b[201~\r\u001b[A`;
  expect(await read([sent])).toBe("x\ra␊b␊c␊d␉e[A\r\u001b[A");
  expect(asTyped(asOneLine("a\n\tb\n"))).toBe("a\n\tb\n");
});

it("a paste is the same wherever the terminal's bytes are cut", async () => {
  const sent = utf8("\u001b[Ax\u001b[200~é\r😀\u001b[201~\ry\u001b");
  const whole = await read([sent]);
  expect(whole).toBe("\u001b[Axé␊😀\ry\u001b");
  const begin = sent.indexOf("\u001b[200~") + 1;
  for (let at = 0; at <= sent.length; at++) {
    // There, Escape would be a key of its own.
    if (at === begin) continue;
    expect(await read([sent.slice(0, at), sent.slice(at)])).toBe(whole);
  }
});

it("a key is handed on at once, though a mark could begin with it", async () => {
  const seen: string[] = [];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("\u001b");
    expect(seen).toEqual(["\u001b"]);
    yield Buffer.from("\u001b[A");
    expect(seen).toEqual(["\u001b", "\u001b[A"]);
  }
  for await (const piece of pastesAsLines(bytes())) seen.push(piece);
  expect(seen).toHaveLength(2);
});
