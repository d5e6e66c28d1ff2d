import type { Codec } from "../../src/index.ts";
import type { Budget } from "../budget.ts";
import type { Check } from "../check.ts";
import type { Prepared } from "../run-property.ts";
import type { CodecFixture } from "./codec-fixture.ts";
import type { CodecRequirement } from "./codec-property.ts";
import { missingOfCodec, resolvePromises, type ResolvedPromises } from "./codec-requirements.ts";

/** What a case is given: a codec, assertions, and what it may spend. */
export interface CodecSubject {
  readonly check: Check;
  readonly fixture: CodecFixture;
  readonly promises: ResolvedPromises;
  readonly budget: Budget;
  /** The codec under test, not used before. */
  readonly codec: Codec;
  /** Another object that reads and writes the same. */
  readonly create: () => Promise<Codec>;
  /** The codec under another key; only with the requirement `foreign`. */
  readonly createForeign: () => Promise<Codec>;
  /** Adds a figure to the report. */
  readonly note: (figure: string) => void;
}

/** Makes a codec and what a case needs to try it. */
export async function prepareCodec(
  fixture: CodecFixture,
  budget: Budget,
  check: Check,
): Promise<Prepared<CodecRequirement, CodecSubject>> {
  const promises = resolvePromises(fixture.promises);
  const codec = await fixture.createCodec();
  const notes: string[] = [];
  const context: CodecSubject = {
    check,
    fixture,
    promises,
    budget,
    codec,
    create: async () => fixture.createCodec(),
    async createForeign() {
      if (fixture.createForeign === undefined) throw new TypeError("there is no createForeign");
      return fixture.createForeign();
    },
    note: (figure) => void notes.push(figure),
  };
  return {
    context,
    missing: (requirements) => missingOfCodec(requirements, promises, fixture, codec),
    notes,
    dispose: async () => undefined,
  };
}
