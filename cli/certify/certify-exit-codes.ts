import type { Report } from "../../conformance/report.ts";
import { propertyOf } from "../../conformance/reports/findings.ts";

/** What `ckpt certify` and `ckpt replay` exit with. The numbers are API. */
export const certifyExitCodes = {
  /** Certified at the level that was asked for. */
  certified: 0,
  /** A property does not hold, or one that the level needs could not be shown. */
  failed: 1,
  /** There is no usable fixture; also what a wrong command line exits with. */
  fixture: 2,
  /** The store is not what its manifest says. */
  manifest: 3,
  /** Something did not come to an end. */
  hung: 4,
} as const;

/** The table of `--help`. */
export const certifyExitCodeHelp = `Exit codes of this command:
  0    certified at the level that was asked for
  1    a property failed, or one that the level needs could not be shown
  2    no usable fixture, or a wrong command line
  3    the store is not what its manifest says
  4    hung: something did not come to an end
  130  interrupted (143 by SIGTERM)`;

/** The exit code of a report; of several reasons the one that explains most. */
export function exitCodeOfReport(report: Report, strict: boolean): number {
  const { counts, results, untested, asked, level } = report;
  if (counts.hung > 0) return certifyExitCodes.hung;
  if (counts.error > 0) return certifyExitCodes.fixture;
  const isMismatch = results.some(
    (result) => result.outcome === "fail" && propertyOf(result).group === "manifest",
  );
  if (isMismatch || (strict && untested.length > 0)) return certifyExitCodes.manifest;
  const failed = results.filter(({ outcome }) => outcome === "fail");
  // An advisory property is reported, and no level needs it.
  if (failed.some((one) => propertyOf(one).advisory !== true)) return certifyExitCodes.failed;
  const stands = asked === null ? !results.some(({ blocks }) => blocks) : level === asked;
  return stands ? certifyExitCodes.certified : certifyExitCodes.failed;
}
