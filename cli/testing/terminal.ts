import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** A program in a pseudo terminal of its own. */
export interface Terminal {
  /** Types: `\r` is Enter, `\u0003` Ctrl-C, `\u0004` Ctrl-D. */
  readonly type: (keys: string) => void;
  /**
   * Waits until `text` is on the screen behind what was waited for before.
   *
   * @returns what the screen got up to there since then, without escape codes
   */
  readonly until: (text: string) => Promise<string>;
  /** Everything that was sent to the screen, escape codes included. */
  readonly sent: () => string;
  /** The exit code, once the program has ended. */
  readonly ended: Promise<number | null>;
}

/** Longer than a busy machine needs for anything that is waited for. */
const patienceMs = 30_000;

const ckpt = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Why there is no pseudo terminal to be had here, or null. */
export function whyNoTerminal(): string | null {
  if (process.platform !== "linux") return "script(1) has other options here";
  const { error, status } = spawnSync("script", ["-qec", "test -t 0", "/dev/null"]);
  if (error !== undefined) return "script(1) of util-linux is not installed";
  return status === 0 ? null : "script(1) makes no terminal here";
}

/** Starts `ckpt` in a terminal of 100 columns; words must need no quotes in a shell. */
export function startTerminal(
  words: readonly string[],
  folder: string,
  env: Record<string, string> = {},
): Terminal {
  const command = `stty rows 40 cols 100; exec '${process.execPath}' '${ckpt}' ${words.join(" ")}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TERM: "xterm-256color", ...env },
  });
  let sent = "";
  let seen = 0;
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    sent += text;
    for (const look of watchers) look();
  });
  const closed = once(child, "close") as Promise<[number | null]>;

  async function until(text: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    let look: () => void = () => undefined;
    const fail = (why: string): Error =>
      new Error(`${why} before the screen had ${JSON.stringify(text)}: ${sent.slice(-2_000)}`);
    try {
      return await new Promise<string>((resolve, reject) => {
        look = () => {
          const screen = withoutEscapes(sent);
          const at = screen.indexOf(text, seen);
          if (at < 0) return;
          const from = seen;
          seen = at + text.length;
          resolve(screen.slice(from, seen));
        };
        watchers.add(look);
        timer = setTimeout(() => reject(fail("Time was up")), patienceMs);
        void closed.then(() => reject(fail("The program ended")));
        look();
      });
    } finally {
      watchers.delete(look);
      clearTimeout(timer);
    }
  }

  return {
    type: (keys) => void child.stdin.write(keys),
    until,
    sent: () => sent,
    ended: closed.then(([code]) => code),
  };
}

/** Text without what moves the cursor and colours it; lines end as in a file. */
function withoutEscapes(text: string): string {
  return stripVTControlCharacters(text).replace(/\r+\n/g, "\n");
}
