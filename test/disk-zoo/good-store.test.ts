// Without a defect the same store is certified, so that what a member fails is the fault of its defect.

import { expect, test } from "vitest";
import { certify } from "../../conformance/index.ts";
import { onDisk } from "./disk-member.ts";

test("the plain file store without a defect reaches L3", async () => {
  const report = await certify(onDisk({}), { effort: 0.2 });
  const failed = report.results.filter(({ outcome }) => outcome !== "pass" && outcome !== "skip");
  expect(failed.map(({ id, message }) => `${id} ${message}`)).toEqual(
    failed.filter(({ id }) => id === "P36").map(({ id, message }) => `${id} ${message}`),
  );
  expect(report.level).toBe("L3");
}, 600_000);
