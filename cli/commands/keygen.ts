import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { askSecret, isInteractive } from "../input/ask-secret.ts";
import { readLine } from "../input/read-line.ts";
import { createKeyFile, keyFileExists, showKeyFile } from "../keys/key-file.ts";
import { makeKey } from "../keys/make-key.ts";
import type { SealingOptions } from "../keys/sealing-options.ts";
import { jsonLine } from "../output/escape.ts";
import { globalsOf } from "../with-store.ts";

interface KeygenOptions {
  readonly out?: string | undefined;
}

const help = `
With --password the key stands behind a password, which is asked for twice; from a pipe, a second
line may repeat it. Whoever has the file can try passwords as often as they like. A key that is
lost, or its password, takes every record with it: keep a copy apart from the store.`;

export function addKeygenCommand(program: Command, context: Context): void {
  program
    .command("keygen")
    .description("make a key: a new file for --key-file, or one line on standard output")
    .option("--out <file>", "file to make, readable by you alone; never overwritten")
    .addHelpText("after", help)
    .action(async ({ out }: KeygenOptions, command: Command) => {
      const { password: wantsPassword } = command.optsWithGlobals<SealingOptions>();
      const { json = false } = globalsOf(command);
      if (out === "") throw new CliError(exitCodes.usage, "--out: wanted a path, met nothing");
      // Before anybody types a password for nothing.
      if (out !== undefined) await requireAbsent(out);
      const password = wantsPassword === true ? await newPassword(context) : null;
      const { secret, id } = await makeKey(password);
      if (out === undefined) {
        await context.out.line(json ? jsonLine({ key: id, line: secret }) : secret);
        return;
      }
      await createKeyFile(out, `${secret}\n`);
      const text = `${showKeyFile(out)}: key ${id}`;
      await context.out.note(json ? jsonLine({ file: out, key: id }) : text);
    });
}

async function requireAbsent(path: string): Promise<void> {
  const isFree = await stat(path).then(
    () => false,
    () => true,
  );
  if (!isFree) throw keyFileExists(path);
}

async function newPassword(context: Context): Promise<string> {
  const password = await askSecret(context, "New password");
  const again = isInteractive(context)
    ? await askSecret(context, "The same again")
    : await readLine(context.input);
  if (again === password || (again === null && !isInteractive(context))) return password;
  throw new CliError(exitCodes.failed, "The two passwords differ; nothing was made");
}
