import { afterAll, expect, test } from "vitest";
import type { PropertyResult } from "../../conformance/run-property.ts";
import { isKill, runAll } from "./run-member.ts";
import { zoo } from "./registry.ts";

/** Declares one test a member, for every `parts`-th one from `part` on, so that files share the work. */
export function testMembers(part: number, parts: number): void {
  const members = zoo.filter((_, index) => index % parts === part);
  const sum = { kills: 0, hung: 0, exact: 0 };

  test.each(members)("$id: $defect", async ({ fails, createFixture }) => {
    const results = await runAll(createFixture);
    const kills = results.filter(isKill);
    sum.kills += kills.length;
    sum.hung += kills.filter(({ outcome }) => outcome === "hung").length;
    const wanted = new Set(fails);
    expect(kills.filter(({ id }) => !wanted.has(id)).map(tellKill)).toEqual([]);
    const met = new Set(kills.map(({ id }) => id));
    expect(fails.filter((id) => !met.has(id))).toEqual([]);
    for (const { message, failedCase } of kills) {
      expect(message, "names what was met").toMatch(/\S/);
      expect(failedCase).not.toBeNull();
    }
    expect(results.filter(({ outcome }) => outcome === "error").map(tellKill)).toEqual([]);
    sum.exact += 1;
  });

  afterAll(() => {
    const { kills, hung, exact } = sum;
    const counts = `${kills} kills (${hung} of them hung), ${exact} exact`;
    console.info(`zoo, part ${part + 1} of ${parts}: ${members.length} members, ${counts}`);
  });
}

function tellKill({ id, outcome, failedCase, message }: PropertyResult): string {
  return `${id} ${outcome}: ${failedCase ?? ""}: ${message.slice(0, 200)}`;
}
