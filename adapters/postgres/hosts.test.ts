import { afterEach, describe, expect, test } from "vitest";
import { startProxy, type CuttingProxy } from "./testing/cutting-proxy.ts";
import { append, readAll } from "../../test/store-changes.ts";
import { cleanUp, hasNoServer, openStore } from "./testing/server.ts";

afterEach(cleanUp);

const hostOf = ({ url }: CuttingProxy): string => new URL(url).host;

describe.skipIf(hasNoServer)("hosts", () => {
  test("the one that answers is found, and the other one when it goes", async () => {
    const [one, two] = [await startProxy(), await startProxy()];
    one.refuse(true);
    const store = openStore({ hosts: [hostOf(one), hostOf(two)] });
    await store.commit("s", append(["1"]));
    one.refuse(false);
    two.refuse(true);
    await store.commit("s", append(["2"]));
    two.refuse(false);
    one.cut("before the answer arrives", '"3"', { thenRefuses: true });
    expect(await store.commit("s", append(['"3"']))).toMatchObject({ head: { seq: 3 } });
    const payloads = (await readAll(store, "s")).map(({ payload }) => payload);
    expect(payloads).toEqual(["1", "2", '"3"']);
  });

  test("none that answers is IO_FAILED once the time for it is over", async () => {
    const proxy = await startProxy();
    proxy.refuse(true);
    const store = openStore({ hosts: [hostOf(proxy), hostOf(proxy)], outageTimeoutMs: 50 });
    await expect(store.head("s")).rejects.toMatchObject({ code: "IO_FAILED" });
  });
});
