import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peers-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A package that hands out its own objects, and cannot delete. */
const fakeStore = `
  export function createStore() {
    const logs = new Map();
    return {
      push: (id, records) => void logs.set(id, [...(logs.get(id) ?? []), ...records]),
      all: (id) => logs.get(id) ?? [],
      ids: () => [...logs.keys()],
    };
  }`;

const bridge = pathToFileURL(resolve("scripts/peers/bridge.mjs")).href;

/** The bridge to it, written as those of the real peers. */
const fakePeer = (version: string): string => `
  import { createBridge, lacking, requireHead } from ${JSON.stringify(bridge)};
  export const peers = [{
    name: "fake",
    title: "a fake store",
    packages: { "fake-store": ${JSON.stringify(version)} },
    manifest: { concurrency: "instance", durability: "none", readIsolation: "snapshot" },
    storage: "memory",
    async open({ load }) {
      const { createStore } = await load("fake-store");
      const store = createStore();
      const head = async (id) => store.all(id).length;
      return createBridge({
        head,
        async append(id, records, expectedHead) {
          requireHead(id, await head(id), expectedHead);
          store.push(id, records);
          return head(id);
        },
        read: async (id) => store.all(id).map((record, index) => ({ seq: index + 1, ...record })),
        list: async () => store.ids().map((id) => ({ id, head: store.all(id).length, mtime: 1 })),
        delete: lacking("delete"),
      });
    },
  }];`;

interface Ending {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script over the fake peer at a version, where no registry answers. */
function runPeers(version: string): Promise<Ending> {
  const peers = join(folder, "peers.mjs");
  writeFileSync(peers, fakePeer(version));
  const options = ["--peers", peers, "--properties", "P02,P28,P42", "--json", join(folder, "json")];
  const nowhere = {
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_cache: join(folder, "cache"),
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      ["scripts/peers/run.mjs", ...options],
      { env: { ...process.env, ...nowhere } },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("peers installs a package, runs the suite over its bridge and tells failed from missing", async () => {
  const store = join(folder, "fake-store");
  mkdirSync(store);
  writeFileSync(join(store, "index.js"), fakeStore);
  writeFileSync(
    join(store, "package.json"),
    JSON.stringify({ name: "fake-store", version: "1.0.0", type: "module", exports: "./index.js" }),
  );
  const { code, stdout } = await runPeers(`file:${store}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^fake .* +1 +1 +1 +0 /m);
  expect(stdout).toMatch(/^ {2}P28 read\(\) hands out events that are the reader's own: /m);
  expect(JSON.parse(readFileSync(join(folder, "json"), "utf8"))).toMatchObject([
    { name: "fake", level: null, passed: 1, failed: [{ id: "P28" }], missing: ["P42"], stray: 0 },
  ]);
});

test("peers says in one line that the registry does not answer, and exits with 2", async () => {
  const { code, stdout, stderr } = await runPeers("1.0.0");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.trim().split("\n").slice(1)).toEqual([
    "peers: the npm registry does not answer (ECONNREFUSED); nothing was examined",
  ]);
});
