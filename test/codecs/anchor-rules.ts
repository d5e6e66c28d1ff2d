// What every anchor promises, run on each of them. A place is where an anchor keeps its points; opening it
// twice gives two handles onto the same points.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Anchor, AnchorPoint } from "../../src/index.ts";
import { trickySessionIds } from "./key-store-rules.ts";

/** An empty place, made for one test. */
export interface AnchorPlace {
  open(): Anchor;
  /** Removes everything. */
  dispose(): void | Promise<void>;
}

const point: AnchorPoint = { seq: 1, tag: "aa" };
const full: AnchorPoint = { seq: 3, tag: "aa", nextTag: "bb", cut: "cc" };

/** Registers the rules as tests. */
export function describeAnchor(name: string, createPlace: () => AnchorPlace): void {
  describe(`${name} keeps the rules of anchors:`, () => {
    let place: AnchorPlace;
    let opened: Anchor[];
    const open = (): Anchor => {
      const anchor = place.open();
      opened.push(anchor);
      return anchor;
    };
    beforeEach(() => {
      place = createPlace();
      opened = [];
    });
    afterEach(async () => {
      for (const anchor of opened) await anchor.close?.();
      await place.dispose();
    });

    test("set() compares and sets", async () => {
      const [anchor, other] = [open(), open()];
      expect(await anchor.get("a")).toBeNull();
      expect(await anchor.set("a", null, null)).toBe(true);
      expect(await anchor.set("a", point, point)).toBe(false);
      expect(await anchor.set("a", point, null)).toBe(true);
      expect(await other.get("a")).toEqual(point);
      expect(await other.set("a", { seq: 2, tag: "bb" }, null)).toBe(false);
      expect(await other.set("a", { seq: 2, tag: "bb" }, { seq: 1, tag: "cc" })).toBe(false);
      expect(await anchor.set("a", null, { seq: 2, tag: "aa" })).toBe(false);
      expect(await anchor.get("a")).toEqual(point);
      expect(await other.set("a", { seq: 2, tag: "bb" }, await other.get("a"))).toBe(true);
      expect(await anchor.set("a", full, point)).toBe(false);
      expect(await anchor.set("a", null, await anchor.get("a"))).toBe(true);
      expect(await other.get("a")).toBeNull();
      expect(await other.set("a", null, null)).toBe(true);
      expect(await other.set("a", point, null)).toBe(true);
    });

    test("set() tells points apart by everything in them", async () => {
      const anchor = open();
      await anchor.set("a", full, null);
      for (const part of [{ seq: 4 }, { tag: "ab" }, { nextTag: "b" }, { cut: undefined }]) {
        expect(await anchor.set("a", point, { ...full, ...part })).toBe(false);
      }
      expect(await anchor.get("a")).toEqual(full);
    });

    test("set() takes points for equal whatever made them", async () => {
      const anchor = open();
      await anchor.set("a", { ...full, nextTag: undefined }, null);
      expect(await anchor.get("a")).toEqual({ seq: 3, tag: "aa", cut: "cc" });
      expect(await anchor.set("a", full, { cut: "cc", tag: "aa", seq: 3 })).toBe(true);
      const shuffled = { cut: "cc", nextTag: "bb", tag: "aa", seq: 3 };
      expect(await anchor.set("a", point, shuffled)).toBe(true);
      expect(await anchor.get("a")).toEqual(point);
    });

    test("set() keeps points of its own", async () => {
      const anchor = open();
      const mine = { ...point };
      const setting = anchor.set("a", mine, null);
      mine.seq = 9;
      await setting;
      expect(await anchor.get("a")).toEqual(point);
    });

    test("set() keeps sessions apart", async () => {
      const anchor = open();
      const ids = trickySessionIds.map((id, seq) => [id, { seq, tag: "aa" }] as const);
      for (const [id, own] of ids) expect(await anchor.set(id, own, null)).toBe(true);
      for (const [id, own] of ids) expect(await anchor.get(id)).toEqual(own);
    });

    test("of many that set at the same moment one is told that it did", async () => {
      const anchors = [open(), open()];
      const points = Array.from({ length: 10 }, (_, seq) => ({ seq, tag: `t${seq}` }));
      const set = await Promise.all(
        points.map((each, index) => anchors[index % 2]!.set("a", each, null)),
      );
      expect(set.filter((isSet) => isSet)).toHaveLength(1);
      expect(await anchors[0]!.get("a")).toEqual(points[set.indexOf(true)]);
    });

    test("many that add one after another lose none", async () => {
      const anchors = [open(), open()];
      const increment = async (anchor: Anchor): Promise<void> => {
        for (;;) {
          const before = await anchor.get("a");
          const after = { seq: (before?.seq ?? 0) + 1, tag: "aa" };
          if (await anchor.set("a", after, before)) return;
        }
      };
      await Promise.all(Array.from({ length: 12 }, (_, n) => increment(anchors[n % 2]!)));
      expect(await anchors[0]!.get("a")).toMatchObject({ seq: 12 });
    });
  });
}
