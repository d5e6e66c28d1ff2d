import { afterAll, expect, it } from "vitest";
import type { Calibration } from "../../bench/gate/calibrate.ts";
import { fixtureFolder } from "../certify/testing/fixture-folder.ts";

const folder = fixtureFolder();

afterAll(folder.remove);

const short = ["--duration", "20ms", "--block", "1ms", "--pairs", "8"];

it("ckpt bench calibrate finds a slow-down that nobody can miss, and counts what it did", async () => {
  const side = folder.addFixture("store.js");
  const words = ["bench", "calibrate", "--side", side, "--runs", "2", "--delay", "1000%", ...short];
  // The same code would have to be three times as slow, twice, to be an alarm.
  const { code, out, errors } = await folder.run([...words, "--threshold", "200%", "--json"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  const { same, slowed, ...rest } = JSON.parse(out) as Calibration;
  expect(rest).toMatchObject({ format: 1, runs: 2, delay: 10 });
  expect({ false: same.red, found: slowed.red }).toEqual({ false: 0, found: 2 });
  expect(same.runs.processor.estimates).toHaveLength(2);
  expect(folder.leftovers()).toEqual([]);
});

it("ckpt bench calibrate prints both rates with their counts", async () => {
  const side = folder.addFixture("store.js");
  const { out } = await folder.run(["bench", "calibrate", "--side", side, "--runs", "1", ...short]);
  expect(out).toMatch(/^false alarms: [01] of 1 \(\d+ %\); found: [01] of 1 \(\d+ %\)\n/);
});

it("ckpt bench calibrate exits with 2 when its side is unusable", async () => {
  const { code, errors } = await folder.run(["bench", "calibrate", "--side", "./absent.js"]);
  expect(code).toBe(2);
  expect(errors).toMatch(/^ckpt: The calibrated side is unusable: there is no "\.\/absent\.js"/);
});
