import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readLine } from "./read-line.ts";
import { createStandardInput, type StandardInput } from "./standard-input.ts";

const inputOf = (...chunks: (string | Uint8Array)[]): StandardInput => {
  return createStandardInput({ stdin: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) });
};

async function restOf(input: StandardInput): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("readLine()", () => {
  it.each([
    [["one\ntwo\nthree"], ["one", "two", "three", null]],
    [
      ["o", "ne\r", "\n", "\n", "two"],
      ["one", "", "two", null],
    ],
    [[""], [null]],
    [
      [new Uint8Array([0xc5]), new Uint8Array([0xbc, 0x0a])],
      ["ż", null],
    ],
  ])("takes the lines of %j one by one", async (chunks, lines) => {
    const input = inputOf(...chunks);
    for (const line of lines) expect(await readLine(input)).toBe(line);
  });

  it("leaves everything behind the line to the next reader", async () => {
    const input = inputOf("secret\nda", "ta\n");
    expect(await readLine(input)).toBe("secret");
    expect(await restOf(input)).toBe("data\n");
  });

  it("refuses a line without end, and bytes that are not text", async () => {
    await expect(readLine(inputOf("x".repeat(70_000)))).rejects.toThrow("is longer than");
    await expect(readLine(inputOf(new Uint8Array([0xff, 0x0a])))).rejects.toThrow("is not UTF-8");
  });
});
