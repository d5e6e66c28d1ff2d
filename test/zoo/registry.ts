import { batchClaims } from "./claims/batches.ts";
import { cutClaims } from "./claims/cuts.ts";
import { expectationClaims } from "./claims/expectations.ts";
import { handleClaims } from "./claims/handles.ts";
import { keyClaims } from "./claims/keys.ts";
import { listClaims } from "./claims/lists.ts";
import { readClaims } from "./claims/reads.ts";
import type { ZooMember } from "./member.ts";

/**
 * Every broken store. A test that cannot fail proves nothing: each of these has a defect that stores
 * in the field have had, and the suite has to fail on it where the claims say, and nowhere else.
 */
export const zoo: readonly ZooMember[] = [
  expectationClaims,
  batchClaims,
  readClaims,
  listClaims,
  cutClaims,
  keyClaims,
  handleClaims,
].flat();
