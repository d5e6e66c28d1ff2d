// What the processes that the suite starts load, to open a store of the kit that is being certified.

import type { OpenedHandle } from "../../conformance/fixture.ts";
import { openPlace, type StorePlace } from "./open-place.ts";

/** The `open` of a `ProcessModule`. */
export function open(argument: unknown): Promise<OpenedHandle> {
  return openPlace(argument as StorePlace);
}
