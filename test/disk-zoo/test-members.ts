import { afterAll, expect, test } from "vitest";
import { pinnedSeed } from "../../conformance/budget.ts";
import { properties } from "../../conformance/properties/index.ts";
import { runProperty } from "../../conformance/run-property.ts";
import { isKill } from "../zoo/run-member.ts";
import { diskZoo } from "./claims.ts";

/** What files and processes add; what one process shows has the other zoo. */
const relevant = properties.filter(
  ({ level, group, advisory }) => advisory !== true && (level === "L3" || group === "processes"),
);

/** Milliseconds; several times what the slowest case takes on a busy machine. */
const options = { budget: { seed: pinnedSeed, effort: 0.2 }, patience: 120_000 };

/** Declares one test a member, for every `parts`-th one from `part` on, so that files share the work. */
export function testMembers(part: number, parts: number): void {
  const members = diskZoo.filter((_, index) => index % parts === part);
  let kills = 0;
  test.each(members)(
    "$id: $defect",
    async ({ fails, mayFail = [], createFixture }) => {
      const killed: string[] = [];
      const told: string[] = [];
      for (const property of relevant) {
        const result = await runProperty(property, createFixture, options);
        expect(result.outcome, result.message).not.toBe("error");
        if (!isKill(result)) continue;
        killed.push(result.id);
        told.push(`${result.id} ${result.failedCase}: ${result.message.slice(0, 300)}`);
      }
      kills += killed.length;
      const unannounced = killed.filter((id) => !fails.includes(id) && !mayFail.includes(id));
      expect(unannounced, told.join("\n")).toEqual([]);
      expect(fails.filter((id) => !killed.includes(id))).toEqual([]);
    },
    600_000,
  );
  afterAll(() => {
    console.info(
      `zoo on disk, part ${part + 1} of ${parts}: ${members.length} members, ${kills} kills`,
    );
  });
}
