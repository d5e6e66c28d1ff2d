import type { CreateFixture } from "../../conformance/fixture.ts";

/** A store with one defect, and what the suite has to say about it. */
export interface ZooMember {
  /** `Z01` and so on; never reused for another defect. */
  readonly id: string;
  /** What the store does wrong, as a sentence that begins with "it". */
  readonly defect: string;
  /**
   * Reports of the same family of fault (`owner/repository#number`), a commit of this repository that
   * mended one, or that it was made up.
   */
  readonly provenance: readonly string[];
  /**
   * The properties that fail, no more and no fewer. Written by hand out of what the defect means, and
   * never copied from a run: a property that fails unannounced is either too strict or not understood.
   */
  readonly fails: readonly string[];
  readonly createFixture: CreateFixture;
}
