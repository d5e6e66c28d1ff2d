import type { Property } from "../property.ts";
import { appendProperties } from "./append.ts";
import { deleteProperties } from "./delete.ts";
import { durabilityProperties } from "./durability.ts";
import { expectedHeadProperties } from "./expected-head.ts";
import { fenceProperties } from "./fence.ts";
import { forkProperties } from "./fork.ts";
import { handlesProperties } from "./handles.ts";
import { headTokenProperties } from "./head-token.ts";
import { idempotencyProperties } from "./idempotency.ts";
import { listPageProperties } from "./list-page.ts";
import { listProperties } from "./list.ts";
import { manifestProperties } from "./manifest.ts";
import { modelProperties } from "./model.ts";
import { networkProperties } from "./network.ts";
import { processesProperties } from "./processes.ts";
import { readProperties } from "./read.ts";
import { readRangeProperties } from "./read-range.ts";
import { sessionIdsProperties } from "./session-ids.ts";
import { tailProperties } from "./tail.ts";
import { truncateProperties } from "./truncate.ts";

/** Every property of the suite, in the order in which they are run: what others rest on comes first. */
export const properties: readonly Property[] = [
  appendProperties,
  readProperties,
  expectedHeadProperties,
  listProperties,
  sessionIdsProperties,
  deleteProperties,
  truncateProperties,
  readRangeProperties,
  headTokenProperties,
  idempotencyProperties,
  listPageProperties,
  forkProperties,
  tailProperties,
  manifestProperties,
  handlesProperties,
  modelProperties,
  processesProperties,
  durabilityProperties,
  networkProperties,
  fenceProperties,
].flat();
