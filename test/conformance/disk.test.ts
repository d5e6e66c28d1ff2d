// Our own adapters under the suite: everything on plain logs, processes and faults included, and on
// compressed and sealed ones whatever a codec could change.

import { describe, test } from "vitest";
import { properties, vitestConformance } from "../../conformance/index.ts";
import { diskFixture } from "./disk-fixtures.ts";

const besideCodecs = ["P62", "P63", "P66", "P67", "P68", "P69", "P70", "P71", "B4", "P36", "P59"];
const sealed = properties.map(({ id }) => id).filter((id) => !besideCodecs.includes(id));

for (const adapter of ["file", "sqlite"] as const) {
  describe(`${adapter}, plain`, () => {
    vitestConformance(diskFixture(adapter, "plain"), { describe, test });
  });
  describe(`${adapter}, sealed`, () => {
    vitestConformance(diskFixture(adapter, "sealed"), { describe, test }, { only: sealed });
  });
}
