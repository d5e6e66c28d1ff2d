import type { CodecProperty } from "../codec-property.ts";
import { callProperties } from "./calls.ts";
import { checkpointerProperties } from "./checkpointer.ts";
import { damageProperties } from "./damage.ts";
import { decoderProperties } from "./decoder.ts";
import { encryptionProperties } from "./encryption.ts";
import { methodProperties } from "./methods.ts";
import { placeProperties } from "./places.ts";
import { roundTripProperties } from "./round-trip.ts";

/** Every property of a codec, in the order in which they are run. */
export const codecProperties: readonly CodecProperty[] = [
  roundTripProperties,
  callProperties,
  placeProperties,
  encryptionProperties,
  damageProperties,
  decoderProperties,
  methodProperties,
  checkpointerProperties,
].flat();
