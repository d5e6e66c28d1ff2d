import type { Sizes } from "../workload.ts";

/** Stores of the kit that a package can be measured with. */
export const adapterNames = ["memory", "file", "sqlite"] as const;

/** One of {@link adapterNames}. */
export type AdapterName = (typeof adapterNames)[number];

/** Where a side's code is; plain data, so that its process can load it. */
export type SideSource =
  /** The folder of an installed package of the kit, and the store of it that is measured. */
  | { readonly kind: "package"; readonly root: string; readonly adapter: AdapterName }
  /** A module with a conformance fixture. */
  | { readonly kind: "fixture"; readonly url: string };

/** What work takes, in milliseconds. */
export interface Cost {
  /** On the clock, with every wait: for disks, for locks, and for a processor that others use. */
  readonly time: number;
  /** Of processors, on all threads of the process: what waits is not in it, nor what others do. */
  readonly processor: number;
}

/** What the process of a side is told, one thing at a time. */
export type SideRequest =
  | {
      readonly do: "prepare";
      readonly source: SideSource;
      /** Id of a kind of work. */
      readonly kind: string;
      /** An empty folder for the store. */
      readonly folder: string;
      readonly seed: number;
      readonly sizes: Sizes;
      /** Share of its own processor time by which each block is made to last longer, busily. Default 0. */
      readonly delay?: number | undefined;
    }
  | { readonly do: "run"; readonly operations: number }
  /** Closes the store and removes it. */
  | { readonly do: "close" };

/** What it answers. */
export type SideAnswer =
  /** Ready to run; or the reason why the store cannot do this work. */
  | { readonly type: "prepared"; readonly refusal: string | null }
  /** What all operations took together. */
  | { readonly type: "ran"; readonly cost: Cost }
  | { readonly type: "closed" }
  | { readonly type: "failed"; readonly message: string };
