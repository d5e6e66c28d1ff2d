import { expect, it } from "vitest";
import { parseShare } from "./parse-share.ts";

it.each([
  ["10%", 0.1],
  ["7.5%", 0.075],
  ["1000%", 10],
])("parseShare() takes %s", (text, share) => {
  expect(parseShare(text)).toBe(share);
});

it.each(["", "10", "%", "0%", "-1%", "1001%", "1e1%", "10 %"])(
  "parseShare() refuses %j",
  (text) => {
    expect(() => parseShare(text)).toThrow("Wanted a share");
  },
);
