// Peers are installed when they are asked for, in a folder of their own, from whatever registry npm is set up for. They
// are dependencies of nothing.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** The registry does not answer. */
export class RegistryUnreachable extends Error {
  name = "RegistryUnreachable";
}

/** Drivers are fetched or compiled by scripts, which newer versions of npm run only where they are allowed. */
const allowScripts = { "better-sqlite3": true, sqlite3: true };

const npm = promisify(execFile).bind(null, "npm");

/** What npm says when nobody answers, as opposed to a registry that says no. */
const silence =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/** Installs the packages of a peer, a version by name, in `folder`, unless they are there. */
export async function installPackages(folder, { packages, overrides = {} }) {
  const done = join(folder, "installed");
  if (existsSync(done)) return;
  mkdirSync(folder, { recursive: true });
  const manifest = {
    private: true,
    type: "module",
    dependencies: packages,
    overrides,
    allowScripts,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "load.js"), "export const load = (specifier) => import(specifier);\n");
  if (Object.keys(packages).length > 0) await install(folder);
  writeFileSync(done, "");
}

/** What imports a package from `folder`, as a module that lies there would. */
export async function loaderOf(folder) {
  const { load } = await import(pathToFileURL(join(folder, "load.js")).href);
  return load;
}

async function install(cwd) {
  // Without a registry npm would try again for minutes.
  const patience = ["--fetch-retries=1", "--fetch-retry-mintimeout=500"];
  try {
    await npm(["install", "--no-audit", "--no-fund", ...patience], { cwd });
  } catch (error) {
    const [code] = silence.exec(error.stderr ?? "") ?? [];
    if (code === undefined) throw new Error(firstProblem(error), { cause: error });
    throw new RegistryUnreachable(`the npm registry does not answer (${code})`, { cause: error });
  }
}

function firstProblem({ stderr = "", message }) {
  const line = stderr.split("\n").find((one) => /npm (?:error|ERR!) (?!code )/.test(one));
  return line?.replace(/^npm (?:error|ERR!) /, "") ?? message.split("\n")[0];
}
