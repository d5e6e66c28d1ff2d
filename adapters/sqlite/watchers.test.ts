import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { append } from "../../test/store-changes.ts";
import { cleanUp, openStore, temporaryFile } from "./testing/temporary-store.ts";

afterEach(cleanUp);

test("watch() yields after a commit of another handle", async () => {
  const file = temporaryFile();
  const [store, other] = [openStore({ file }), openStore({ file })];
  await store.commit("a", append(["1"]));
  const stop = new AbortController();
  const hints = store.watch?.("a", stop.signal)[Symbol.asyncIterator]();
  const hint = hints?.next();
  await other.commit("a", append(["2"]));
  expect(await hint).toMatchObject({ done: false });
  stop.abort();
  expect(await hints?.next()).toMatchObject({ done: true });
});

test("watch() yields at once after a commit of its own handle", async () => {
  const store = openStore({ file: ":memory:" }, { watchPollMs: 60_000 });
  await store.commit("a", append(["1"]));
  const stop = new AbortController();
  const hints = store.watch?.("a", stop.signal)[Symbol.asyncIterator]();
  const hint = hints?.next();
  await store.commit("b", append(["1"]));
  await store.commit("a", append(["2"]));
  expect(await hint).toMatchObject({ done: false });
  await hints?.return?.();
});

test("watch() remembers a change that comes while its consumer is busy", async () => {
  const store = openStore({ file: ":memory:" }, { watchPollMs: 60_000 });
  await store.commit("a", append(["1"]));
  const hints = store.watch?.("a", new AbortController().signal)[Symbol.asyncIterator]();
  const first = hints?.next();
  await store.commit("a", append(["2"]));
  await first;
  await store.commit("a", append(["3"]));
  expect(await hints?.next()).toMatchObject({ done: false });
  await hints?.return?.();
});

test("watch() of an absent database creates none and yields when there is one", async () => {
  const file = temporaryFile();
  const [store, other] = [openStore({ file }), openStore({ file })];
  const stop = new AbortController();
  const hints = store.watch?.("a", stop.signal)[Symbol.asyncIterator]();
  const hint = hints?.next();
  await other.commit("a", append(["1"]));
  expect(await hint).toMatchObject({ done: false });
  stop.abort();
});

test("watch() ends promptly on an abort and when the store is closed", async () => {
  const store = openStore({ file: ":memory:" }, { watchPollMs: 60_000 });
  const stop = new AbortController();
  const [one, two] = [stop.signal, new AbortController().signal].map((signal) =>
    store.watch?.("a", signal)[Symbol.asyncIterator]().next(),
  );
  stop.abort();
  expect(await one).toMatchObject({ done: true });
  await store.close();
  expect(await two).toMatchObject({ done: true });
  const late = store.watch?.("a", AbortSignal.abort())[Symbol.asyncIterator]();
  expect(await late?.next()).toMatchObject({ done: true });
});

test("watch() stays silent while nothing changes", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = openStore({ file: temporaryFile() }, { watchPollMs: 50 });
  await store.commit("a", append(["1"]));
  const stop = new AbortController();
  const hint = store.watch?.("a", stop.signal)[Symbol.asyncIterator]().next();
  let isSilent = true;
  void hint?.then(() => (isSilent = false));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isSilent).toBe(true);
  stop.abort();
  await hint;
});
