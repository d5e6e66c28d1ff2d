import { describe, expect, it } from "vitest";
import { memoryCheckpointer } from "../adapters/memory/index.ts";
import { CheckpointError, type EventObject } from "../src/index.ts";
import { untestedSurface } from "./untested-surface.ts";

const handle = memoryCheckpointer<EventObject>();
const { capabilities } = handle;

describe("untestedSurface()", () => {
  it("is empty when what is there is claimed, or refuses", async () => {
    expect(capabilities.repair).toBe(false);
    expect(await untestedSurface(handle, capabilities)).toEqual([]);
  });

  it("names what works without a claim, and what fails in another way than by refusing", async () => {
    const broken = { ...handle, truncate: () => Promise.reject(new Error("broken")) };
    const manifest = { ...capabilities, truncate: false, fork: false, headToken: false };
    expect(await untestedSurface(broken, manifest)).toEqual(["truncate", "headToken", "fork"]);
  });

  it("takes a method that is absent or refuses for what it is", async () => {
    const refuse = () => Promise.reject(new CheckpointError("NOT_SUPPORTED", "no"));
    const rest = { ...handle, truncate: refuse, fork: undefined };
    const manifest = { ...capabilities, truncate: false, fork: false };
    expect(await untestedSurface(rest, manifest)).toEqual([]);
  });
});
