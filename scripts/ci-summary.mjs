// The closing line of CI, counted from what the runs wrote: one per test, one per gate. A report that is missing, a
// run that ended badly without a failed test, or a run of no tests, counts as a failure: silence is never success.
//
// Usage: node scripts/ci-summary.mjs <tests.json> <exit code of the tests> <gates.json>

import { readFileSync } from "node:fs";
import process from "node:process";

const [testsFile, testsExit, gatesFile] = process.argv.slice(2);

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    console.error(`cannot read a report: ${error.message}`);
    return undefined;
  }
}

const tests = read(testsFile);
const passedTests = tests?.numPassedTests ?? 0;
// A test file that does not even load holds no failed test, and an unhandled rejection belongs to none.
const brokenFiles = (tests?.testResults ?? []).filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((result) => result.status === "failed"),
).length;
const counted = (tests?.numFailedTests ?? 0) + brokenFiles;
const failedTests = counted > 0 || (testsExit === "0" && passedTests > 0) ? counted : 1;

const gates = read(gatesFile) ?? [{ ok: false }];
const failedGates = gates.filter(({ ok }) => !ok).length;

const passed = passedTests + gates.length - failedGates;
const failed = failedTests + failedGates;
const skipped = (tests?.numPendingTests ?? 0) + (tests?.numTodoTests ?? 0);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
if (failed > 0) process.exitCode = 1;
