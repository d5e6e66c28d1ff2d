// What has to be true of the claims, whatever the members do; members-*.test.ts hold them to it.

import { expect, test } from "vitest";
import { properties } from "../../conformance/properties/index.ts";
import { isKill, runOn } from "./run-member.ts";
import { zoo } from "./registry.ts";

/** Properties that no member fails yet, and why. */
const withoutKiller: Readonly<Record<string, string>> = {
  P36: "has no case yet; it measures memory in a process of its own",
};

test("every member has an id of its own, a provenance and at least one property that it fails", () => {
  expect(new Set(zoo.map(({ id }) => id)).size).toBe(zoo.length);
  for (const { id, fails, provenance } of zoo) {
    expect(fails.length, `${id} shows nothing`).toBeGreaterThan(0);
    expect(provenance.length, `${id} comes from somewhere`).toBeGreaterThan(0);
    expect(new Set(fails).size).toBe(fails.length);
  }
});

test("members fail properties that exist", () => {
  const known = new Set(properties.map(({ id }) => id));
  expect(zoo.flatMap(({ fails }) => fails).filter((id) => !known.has(id))).toEqual([]);
});

test("every property that asks for nothing beyond open() has a member that fails it", () => {
  const killed = new Set(zoo.flatMap(({ fails }) => fails));
  const outside = new Set([
    "processes",
    "paced",
    "logFile",
    "damage",
    "files",
    "durable",
    "power",
    "block",
    "server",
  ]);
  const idle = properties
    .filter(({ requires = [] }) => !requires.some((one) => outside.has(one)))
    .filter(({ id }) => !killed.has(id) && withoutKiller[id] === undefined);
  expect(idle.map(({ id, statement }) => `${id} ${statement}`)).toEqual([]);
});

test("no property is excused that has a killer", () => {
  const killed = new Set(zoo.flatMap(({ fails }) => fails));
  expect(Object.keys(withoutKiller).filter((id) => killed.has(id))).toEqual([]);
});

/** Members whose defect is a window between two steps, and the property that claims to find it. */
const racers: ReadonlyArray<readonly [member: string, property: string]> = [
  ["Z01", "P20"],
  ["Z02", "P21"],
  ["Z10", "P08"],
  ["Z28", "P52"],
  ["Z46", "P17"],
  ["Z47", "K7"],
  ["Z61", "P23"],
  ["Z62", "P58"],
  ["Z71", "P21"],
  ["Z104", "P45"],
];

const runs = 100;

test.each(racers)(`%s is caught by %s in ${runs} of ${runs} runs`, async (memberId, propertyId) => {
  const member = zoo.find(({ id }) => id === memberId)!;
  const property = properties.find(({ id }) => id === propertyId)!;
  let kills = 0;
  for (let run = 0; run < runs; run += 1) {
    if (isKill(await runOn(property, member.createFixture))) kills += 1;
  }
  console.info(`${memberId} by ${propertyId}: ${kills} of ${runs}`);
  expect(kills).toBe(runs);
});
