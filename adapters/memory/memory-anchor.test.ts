import { describeAnchor } from "../../test/codecs/anchor-rules.ts";
import { memoryAnchor } from "./memory-anchor.ts";

describeAnchor("memoryAnchor()", () => {
  const anchor = memoryAnchor();
  return { open: () => anchor, dispose: () => undefined };
});
