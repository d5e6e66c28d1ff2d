import { expect, test } from "vitest";
import { runAll } from "./run-member.ts";
import { variants } from "./variants.ts";

test.each(variants)(
  "a store that $name passes everything that it does not skip",
  async (variant) => {
    const { name, createFixture, fallsShort = [] } = variant;
    const results = await runAll(createFixture);
    const failing = results.filter(({ outcome }) => outcome !== "pass" && outcome !== "skip");
    const faults = failing
      .filter(({ id }) => !fallsShort.includes(id))
      .map(({ id, outcome, failedCase, message }) => `${id} ${outcome}: ${failedCase}: ${message}`);
    expect(faults).toEqual([]);
    expect(failing.map(({ id }) => id).toSorted()).toEqual(fallsShort.toSorted());
    const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
    expect(count("pass")).toBeGreaterThan(20);
    console.info(`${name}: ${count("pass")} pass, ${count("skip")} skip`);
  },
);
