/**
 * Goal: the codecs run in a browser, without a bundler. Method: headless Chromium loads the compiled
 * files over HTTP from this machine, runs the portable checks and posts their report.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { goldenFiles } from "./golden-files.ts";
import type { PortableReport } from "./portable-checks.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const page = `<!doctype html>
<script type="importmap">
  {
    "imports": {
      "@noble/ciphers/": "/node_modules/@noble/ciphers/",
      "@noble/hashes/": "/node_modules/@noble/hashes/",
      "fflate": "/node_modules/fflate/esm/browser.js"
    }
  }
</script>
<script type="module">
  const post = (body) => fetch("/report", { method: "POST", body: JSON.stringify(body) });
  try {
    const { portableChecks } = await import("/dist/test/codecs/portable-checks.js");
    const goldens = await (await fetch("/goldens")).json();
    await post(await portableChecks(goldens));
  } catch (error) {
    await post({ faults: [String(error), String(error?.stack)] });
  }
</script>`;

const flags = [
  "--headless",
  // Chromium's sandbox needs rights that containers do not have; the page is ours alone.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let profile: string | undefined;
let server: Server | undefined;
let browser: ChildProcess | undefined;

afterEach(async () => {
  if (browser?.pid !== undefined && browser.exitCode === null) {
    // With its helpers, which would go on writing to the profile for a moment.
    process.kill(-browser.pid, "SIGKILL");
    await once(browser, "exit");
  }
  server?.closeAllConnections();
  server?.close();
  if (profile !== undefined) removeProfile(profile, 20);
});

/** As a whole again and again: rmSync's own retries do not see files that appear meanwhile. */
function removeProfile(folder: string, attempts: number): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    if (attempts === 1) throw error;
    removeProfile(folder, attempts - 1);
  }
}

function findChromium(): string | null {
  const { CHROMIUM } = process.env;
  const names = [CHROMIUM, "/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"];
  const isThere = (name: string): boolean =>
    name.includes("/") ? existsSync(name) : spawnSync("which", [name]).status === 0;
  return names.find((name) => name !== undefined && isThere(name)) ?? null;
}

/** Serves the page and what it loads; resolves with what it posts. */
function serve(report: (body: string) => void): Server {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const send = (type: string, body: string | Buffer): void => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    if (url === "/report") {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => void (body += text));
      request.on("end", () => {
        send("text/plain", "");
        report(body);
      });
    } else if (url === "/") send("text/html", page);
    else if (url === "/goldens") {
      send("application/json", JSON.stringify(goldenFiles().map(([, golden]) => golden)));
    } else if (/^\/(?:dist|node_modules)\/.*\.js$/.test(url) && existsSync(join(root, url))) {
      send("text/javascript", readFileSync(join(root, url)));
    } else response.writeHead(404).end();
  };
  return createServer(answer);
}

const chromium = findChromium();
if (chromium === null) console.log("skipped: no Chromium");

test.skipIf(chromium === null)(
  "a browser passes every portable check",
  async () => {
    const report = await new Promise<PortableReport>((resolve, reject) => {
      const listening = serve((body) => resolve(JSON.parse(body) as PortableReport));
      server = listening;
      listening.listen(0, "127.0.0.1", () => {
        const { port } = listening.address() as AddressInfo;
        profile = mkdtempSync(join(tmpdir(), "checkpointer-chromium-"));
        const address = `http://127.0.0.1:${port}/`;
        browser = spawn(chromium ?? "", [...flags, `--user-data-dir=${profile}`, address], {
          stdio: "ignore",
          detached: true,
        });
        browser.once("error", reject);
        browser.once("exit", (code) => reject(new Error(`Chromium ended with ${code}`)));
      });
    });
    console.log(`Chromium: ${JSON.stringify({ ...report, faults: undefined })}`);
    expect(report.faults).toEqual([]);
    // No node:crypto and no node:zlib there, so these are the fallbacks that a page gets.
    expect(report.backends).toEqual(["webcrypto", "noble"]);
    expect(report.deflates).toEqual(["fflate"]);
    expect(report.synchronous).toBe(false);
    expect(report.checks).toBeGreaterThan(80);
  },
  120_000,
);
