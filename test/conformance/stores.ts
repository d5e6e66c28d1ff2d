import type { CreateFixture } from "../../conformance/fixture.ts";
import type { StoreKind } from "../stores.ts";

/** A store kind of the tests, as a fixture of the suite. */
export function fixtureOf(kind: StoreKind): CreateFixture {
  return () => {
    const store = kind.create();
    return {
      name: kind.name,
      open: () => store.open(),
      dispose: () => store.dispose(),
    };
  };
}
