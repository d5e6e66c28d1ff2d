import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Option, type Command } from "commander";
import type { TranscriptFormat } from "../../agent/index.ts";
import { limits } from "../../src/index.ts";
import { appendMissing, type AppendedEvents, type IncomingEvent } from "../append-missing.ts";
import { CliError } from "../cli-error.ts";
import type { Context, Store } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { importTargets, standardInput, type ImportTarget } from "../import-targets.ts";
import { eventOfRecord } from "../input/imported-value.ts";
import { readRecords, type InputRecord } from "../input/read-records.ts";
import { escapeText, jsonLine, showId } from "../output/escape.ts";
import { formatCount } from "../output/format-count.ts";
import { createProgress } from "../progress.ts";
import { runEach } from "../run-each.ts";
import { strictNumber } from "../strict-number.ts";
import { systemMessage } from "../system-message.ts";
import { transcriptEvents, transcriptFormats, type TranscriptTally } from "../transcript-events.ts";
import { globalsOf, withStore } from "../with-store.ts";

interface ImportOptions {
  readonly from?: TranscriptFormat | undefined;
  readonly session?: string | undefined;
  readonly batch: number;
  readonly lines?: boolean | undefined;
  readonly allowRounding?: boolean | undefined;
}

const help = `
A file is JSONL (a record a line), a JSON array (a record an element), or one JSON document (one
record); the content decides. Every record becomes one event, exactly. A record that is not an
object is kept in an event of type imported_value, which export undoes. Run twice, import appends
only what is not there yet; it never changes a session whose events differ from the file's.

With --from, the records of a transcript become the conversation that an agent can go on with:
claude-code (~/.claude/projects), codex (rollouts in ~/.codex/sessions), or messages, an array as
OpenAI's Chat Completions takes it. What is no part of the conversation is kept beside it.`;

export function addImportCommand(program: Command, context: Context): void {
  program
    .command("import")
    .description("make a session of every JSONL or JSON file")
    .argument("<files...>", "files to read; - is standard input")
    .option("--session <id>", "session to import one file into (default: the file's name)")
    .addOption(
      new Option("--from <format>", "make the conversation of a transcript out of it").choices(
        transcriptFormats,
      ),
    )
    .option(
      "--batch <n>",
      "records in one append",
      strictNumber({ min: 1, max: limits.maxBatchEvents }),
      500,
    )
    .option("--lines", "every line is a record, also in a file that is one line with an array")
    .option("--allow-rounding", "take numbers that JavaScript cannot hold, rounded")
    .addHelpText("after", help)
    .action(async (files: string[], options: ImportOptions, command: Command) => {
      const targets = importTargets(files, options.session);
      for (const { file } of targets) await requireFile(file);
      await withStore(context, command, "create", (store) =>
        importAll(context, store, targets, options, globalsOf(command).json === true),
      );
    });
}

async function importAll(
  context: Context,
  store: Store,
  targets: readonly ImportTarget[],
  options: ImportOptions,
  json: boolean,
): Promise<void> {
  await runEach(context, targets, "file", async ({ file, sessionId }) => {
    const done = await importFile(context, store, { file, sessionId }, options);
    const fields = { file, session: sessionId, ...fieldsOf(done) };
    await context.out.note(json ? jsonLine(fields) : sentence({ file, sessionId }, done));
  });
}

async function importFile(
  context: Context,
  store: Store,
  { file, sessionId }: ImportTarget,
  options: ImportOptions,
): Promise<ImportedFile> {
  const { signal } = context.io;
  const progress = createProgress(context.io);
  let stored = 0;
  const onProgress = ({ records, appended }: AppendedEvents): void => {
    stored = appended;
    progress.show(`${file}: ${formatCount(records, "record")}`);
  };
  try {
    const tally = { records: 0, prompts: 0 };
    const done = await appendMissing(store, sessionId, eventsOf(context, file, options, tally), {
      batch: options.batch,
      signal,
      onProgress,
    });
    return options.from === undefined ? done : { ...done, imported: tally };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const kept = stored === 0 ? "" : `; ${formatCount(stored, "record")} before it are stored`;
    throw new CliError(error.exitCode, `${escapeText(file)}: ${error.message}${kept}`);
  } finally {
    progress.clear();
  }
}

async function* eventsOf(
  context: Context,
  file: string,
  { from, lines = false, allowRounding = false }: ImportOptions,
  tally: TranscriptTally,
): AsyncGenerator<IncomingEvent> {
  const records = (): AsyncGenerator<InputRecord> =>
    readRecords(readBytes(context, file), { lines, allowRounding });
  if (from !== undefined) {
    // Standard input cannot be read twice, so the importer holds it where it has to.
    yield* transcriptEvents(from, file === standardInput ? records() : records, tally);
    return;
  }
  for await (const { value, size, line } of records()) {
    yield { event: eventOfRecord(value), size, place: `line ${line}` };
  }
}

async function* readBytes({ input }: Context, file: string): AsyncGenerator<Uint8Array> {
  try {
    const chunkBytes = 256 * 1024;
    yield* file === standardInput
      ? input.bytes()
      : (createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Uint8Array>);
  } catch (error) {
    throw cannotRead(error);
  }
}

/** What {@link importFile} did; `imported` is there with `--from`. */
interface ImportedFile extends AppendedEvents {
  readonly imported?: TranscriptTally;
}

/** Before anything is opened, so that a mistyped name creates no store. */
async function requireFile(file: string): Promise<void> {
  if (file === standardInput) return;
  let directory: boolean;
  try {
    directory = (await stat(file)).isDirectory();
  } catch (error) {
    throw new CliError(exitCodes.failed, `${escapeText(file)}: ${cannotRead(error).message}`);
  }
  if (directory) throw new CliError(exitCodes.failed, `${escapeText(file)}: is a directory`);
}

function cannotRead(error: unknown): CliError {
  return new CliError(exitCodes.failed, `cannot read: ${systemMessage(error)}`);
}

function fieldsOf({ imported, ...done }: ImportedFile): object {
  return imported === undefined ? done : { ...done, ...imported, events: done.records };
}

function sentence({ file, sessionId }: ImportTarget, done: ImportedFile): string {
  const { records, appended, head, imported } = done;
  const counted = imported ?? done;
  const counts = [
    formatCount(counted.records, "record"),
    ...(imported === undefined ? [] : [formatCount(records, "event")]),
    `${appended.toLocaleString("en-US")} new`,
    ...(imported === undefined ? [] : [formatCount(imported.prompts, "prompt")]),
    ...(head > records ? [`head ${head}`] : []),
  ];
  return `${escapeText(file)} -> ${showId(sessionId)}: ${counts.join(", ")}`;
}
