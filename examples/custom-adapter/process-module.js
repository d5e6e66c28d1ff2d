// What other processes load to open a store of one of the fixtures.

import { createCheckpointer } from "checkpointer-kit";
import { firstStore } from "./first.js";
import { minimalCheckpointer } from "./minimal.js";
import { minikvStore } from "./store.js";

const adapters = {
  first: (options) => createCheckpointer(firstStore(options)),
  minikv: (options) => createCheckpointer(minikvStore(options)),
  minimal: minimalCheckpointer,
};

/** @param {{ adapter: keyof typeof adapters, address: string }} argument */
export function open({ adapter, address }) {
  return adapters[adapter]({ address });
}
