import type { BenchReport } from "../../bench-report.ts";
import {
  countedNames,
  counterTitles,
  countOf,
  environmentPairs,
  skipsByReason,
  workloadTitle,
} from "../findings.ts";
import {
  formatAmount,
  formatBytes,
  formatCount,
  formatMoment,
  formatTime,
} from "../format-number.ts";
import { html, nothing, type Markup } from "./markup.ts";
import { tableOf, type Cell } from "./table.ts";

/** What was counted. */
export function counterSection(report: BenchReport): Markup {
  const names = countedNames(report);
  if (report.counters.length === 0) return nothing;
  const table = tableOf({
    caption: "For one append",
    head: [
      { title: "store" },
      { title: "append of", number: true },
      ...names.map((name) => ({ title: counterTitles[name], number: true })),
      { title: "counted by" },
    ],
    rows: report.counters.map(({ subject, batch, countedBy, counters }) => [
      subject,
      countOf(batch, "event"),
      ...names.map((name): Cell => {
        const value = counters.find((one) => one.name === name)?.value ?? null;
        return value === null ? { missing: "could not be seen" } : formatCount(value);
      }),
      countedBy,
    ]),
  });
  return html`<section aria-labelledby="counters">
    <h2 id="counters">Counted, not timed</h2>
    <p>
      These are the same at every run and on every machine, so any difference is a change of the
      code.
    </p>
    ${table}
  </section> `;
}

/** What was found beside times. */
export function detailSection({ figures }: BenchReport): Markup {
  const rows = figures.flatMap(({ id, title, subject, details }) =>
    details.map(({ name, value, unit }) => [
      `${id} ${title}`,
      subject,
      name,
      `${formatAmount(value)} ${unit}`,
    ]),
  );
  if (rows.length === 0) return nothing;
  const head = [
    { title: "figure" },
    { title: "store" },
    { title: "what" },
    { title: "found", number: true },
  ];
  return html`<section aria-labelledby="details">
    <h2 id="details">Also found</h2>
    ${tableOf({ caption: "Beside times", head, rows })}
  </section> `;
}

/** What was not measured. */
export function skipSection(report: BenchReport): Markup {
  const skips = skipsByReason(report);
  if (skips.length === 0) return nothing;
  const titles = [...new Set(report.skipped.map(({ workload }) => workload))].map((workload) => {
    return [workload, workloadTitle(workload)].filter((part) => part !== "").join(" ");
  });
  const items = skips.map(({ reason, places }) => html`<li>${reason}: ${places.join("; ")}</li> `);
  return html`<section aria-labelledby="skipped">
    <h2 id="skipped">Left out</h2>
    <ul>
      ${items}
    </ul>
    <p class="note">${titles.join("; ")}</p>
  </section> `;
}

/** Where and how it was measured. */
export function methodSection(report: BenchReport): Markup {
  const { environment, input, seed, effort, startedAt, milliseconds, suite } = report;
  const sizes = `median ${formatBytes(input.medianBytes)}, p99 ${formatBytes(input.p99Bytes)}`;
  const pairs = [
    ...environmentPairs(environment),
    ["events", `${formatCount(input.events)} of ${input.name}; ${sizes}`],
    ["seed", String(seed)],
    ["effort", effort],
    ["began", formatMoment(startedAt)],
    ["took", formatTime(milliseconds)],
    ["kit", suite],
  ] as const;
  const facts = pairs.map(
    ([name, value]) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd> `,
  );
  return html`<section aria-labelledby="method">
    <h2 id="method">How it was measured</h2>
    <ul>
      <li>
        Every store and its floor take turns in short blocks, so that whatever else the machine does
        meets all of them.
      </li>
      <li>
        A ratio is taken within a block. The estimate is the Hodges-Lehmann estimate of the blocks'
        logarithms, the interval a block bootstrap of it with 95 % confidence.
      </li>
      <li>
        Times are medians of blocks on this machine; ratios and counts are what another machine can
        be compared with.
      </li>
      <li>The JSON report keeps every block.</li>
    </ul>
    <dl class="facts">${facts}</dl>
  </section> `;
}
