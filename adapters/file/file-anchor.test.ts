import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAnchor } from "../../test/codecs/anchor-rules.ts";
import { fileAnchor } from "./index.ts";

describeAnchor("fileAnchor()", () => {
  const root = mkdtempSync(join(tmpdir(), "checkpointer-kit-anchor-"));
  return {
    open: () => fileAnchor({ dir: join(root, "anchor") }),
    dispose: () => rmSync(root, { recursive: true }),
  };
});
