// An agent changes files; then its files and its conversation go back in time, and forward again. The model is a script,
// everything else is what an application uses. The session is sealed, the bytes of the files in it included.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteCheckpointer } from "../../dist/adapters/sqlite/index.js";
import { createLiteAgent, scriptedModel } from "../../dist/agent/index.js";
import { aesGcm, generateKey, keyRing, pipeline } from "../../dist/codecs/index.js";
import { claim, output, say } from "./stage.mjs";

const workdir = "project";
const database = "sealed.db";
const logo = Uint8Array.from({ length: 3_000 }, (_, index) => (index * 167) % 256);

const call = (name, input) => ({ name, input });
const turns = [
  {
    prompt: "Round the total to cents.",
    answers: [
      {
        toolCalls: [
          call("edit_file", {
            path: "total.js",
            old_string: "return sum;",
            new_string: "return round(sum);",
          }),
          call("write_file", { path: "lib/round.js", content: "export const round = cents;\n" }),
        ],
      },
      { text: "Totals are rounded now." },
    ],
  },
  {
    prompt: "Throw away what nobody needs.",
    answers: [
      {
        toolCalls: [
          call("delete_file", { path: "logo.png" }),
          call("write_file", { path: "lib/round.js", content: "" }),
        ],
      },
      { text: "The logo and the body of round.js are gone." },
    ],
  },
];

/** An agent as a new process would make it, with the answers it is going to get. */
function agentOn(checkpointer, answers) {
  return createLiteAgent({ model: scriptedModel(answers), modelName: "s", workdir, checkpointer });
}

/** Each file's name with the SHA-256 of its bytes, as one text. */
function filesNow() {
  return readdirSync(workdir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${path}`)
    .join("\n");
}

const stateOf = async (agent) => ({
  files: filesNow(),
  conversation: JSON.stringify(await agent.messages()),
});
const equal = (one, other) => one.files === other.files && one.conversation === other.conversation;

/** The code of the error that something ends with. */
async function codeOf(work) {
  try {
    await work;
    return null;
  } catch (error) {
    return error.code;
  }
}

/** @returns how many files went back */
export async function rewind() {
  mkdirSync(workdir);
  writeFileSync(join(workdir, "total.js"), "export const total = (sum) => {\n  return sum;\n};\n");
  writeFileSync(join(workdir, "logo.png"), logo);
  // Without compression, so that a plain database would show its words.
  const codec = pipeline(aesGcm({ keys: keyRing({ primary: generateKey() }) }));
  const store = sqliteCheckpointer({ file: database, codec });
  const first = agentOn(
    store,
    turns.flatMap(({ answers }) => answers),
  );
  const states = [];
  for (const { prompt } of turns) {
    const { text } = await first.send(prompt);
    states.push(await stateOf(first));
    output(`> ${prompt}\n${text}`);
  }
  await first.close();
  const [middle, end] = states;

  // A new one knows what the log knows, and nothing else.
  const agent = agentOn(store, []);
  const session = first.sessionId;
  await agent.resume(session);
  const checkpoints = await agent.listCheckpoints(session);
  for (const { seq, prompt, files } of checkpoints) {
    output(`checkpoint ${String(seq).padStart(2)}  ${prompt}  (${files.join(", ")})`);
  }
  const target = checkpoints[1].seq;

  writeFileSync(join(workdir, "lib/round.js"), "edited by hand\n");
  const refusal = await codeOf(agent.restore(session, target));
  const isUntouched = readFileSync(join(workdir, "lib/round.js"), "utf8") === "edited by hand\n";
  claim(
    refusal === "RESTORE_REFUSED" && isUntouched,
    "a file that a person edited meanwhile is not overwritten: nothing was touched",
  );
  writeFileSync(join(workdir, "lib/round.js"), "");

  const { restoredFiles, branchId } = await agent.restore(session, target);
  say(`     restore(session, ${target}) put back ${restoredFiles.join(", ")}`);
  claim(
    equal(await stateOf(agent), middle),
    "files (by SHA-256) and conversation are as before the second prompt",
  );
  claim(
    readFileSync(join(workdir, "logo.png")).equals(logo),
    "the deleted picture is back, byte for byte",
  );

  await agent.resume(branchId);
  const forward = (await agent.listCheckpoints(branchId)).at(-1).seq;
  await agent.restore(branchId, forward);
  claim(equal(await stateOf(agent), end), "the branch leads forward again, to exactly the end");

  await agent.close();
  await store.close();
  const stored = readdirSync(".").filter((name) => name.startsWith(database));
  claim(
    stored.length > 0 && stored.every((name) => !readFileSync(name).includes("round")),
    "the session is sealed: no word of it can be read in the database",
  );
  return restoredFiles.length;
}
