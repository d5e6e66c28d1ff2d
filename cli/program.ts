import { Command } from "commander";
import { packageVersion } from "../conformance/package-version.ts";
import { addAdoptCommand } from "./commands/adopt.ts";
import { addBenchCommand } from "./commands/bench.ts";
import { addCertifyCommand } from "./commands/certify.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addCopyCommand } from "./commands/copy.ts";
import { addExplainCommand } from "./commands/explain.ts";
import { addExportCommand } from "./commands/export.ts";
import { addForkCommand } from "./commands/fork.ts";
import { addImportCommand } from "./commands/import.ts";
import { addKeygenCommand } from "./commands/keygen.ts";
import { addListCommand } from "./commands/ls.ts";
import { addRekeyCommand } from "./commands/rekey.ts";
import { addRemoveCommand } from "./commands/rm.ts";
import { addRepairCommand } from "./commands/repair.ts";
import { addReplayCommand } from "./commands/replay.ts";
import { addReviveCommand } from "./commands/revive.ts";
import { addRotateCommand } from "./commands/rotate.ts";
import { addShowCommand } from "./commands/show.ts";
import { addShredCommand } from "./commands/shred.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { addTailCommand } from "./commands/tail.ts";
import { addTruncateCommand } from "./commands/truncate.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import type { Context } from "./context.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import { addSealingOptions } from "./keys/sealing-options.ts";

const commands = [
  addImportCommand,
  addListCommand,
  addShowCommand,
  addTailCommand,
  addExportCommand,
  addCopyCommand,
  addForkCommand,
  addTruncateCommand,
  addRemoveCommand,
  addVerifyCommand,
  addRepairCommand,
  addStatsCommand,
  addKeygenCommand,
  addAdoptCommand,
  addRekeyCommand,
  addRotateCommand,
  addShredCommand,
  addReviveCommand,
  addCertifyCommand,
  addExplainCommand,
  addReplayCommand,
  addBenchCommand,
  addChatCommand,
];

/** The command line tool, whole. It throws instead of exiting and prints through `context`. */
export function createProgram(context: Context): Command {
  const shapes = Object.values(context.schemes).map(({ shape }) => shape);
  const program = new Command("ckpt");
  program
    .description("Look into, move and mend stores of agent sessions.")
    .version(packageVersion(), "--version", "print the version")
    .option("--store <spec>", `the store: ${shapes.join(", ")} (default: CHECKPOINTER_STORE)`)
    .option("--json", "print JSON, one object a line");
  addSealingOptions(program);
  program
    .addHelpText("after", `\n${notes}\n\n${exitCodeHelp}`)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => void context.io.stdout.write(text),
      // What went wrong is thrown as well, and printed in one place.
      writeErr: () => undefined,
      getOutHelpWidth: () => context.out.columns ?? 80,
      getErrHelpWidth: () => context.errors.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const add of commands) add(program, context);
  return program;
}

const notes = `A session id that starts with a dash goes behind --, or into --session=<id>:
  ckpt show -- -x        ckpt show --session=-x
Whatever a terminal would act on is printed as an escape; in JSON this changes no value.
Keys and passwords are never arguments: a key is in a file that only you can read (ckpt keygen makes
one), a password is asked for, or is the first line of standard input where that is no terminal.`;
