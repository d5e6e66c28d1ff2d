import type { BenchReport } from "../../bench-report.ts";
import { latencyFrom, latencyGroups, type LatencyGroup } from "../findings.ts";
import { formatCount, formatPercentile, formatTime } from "../format-number.ts";
import { latencyPlot } from "../plots/latency-plot.ts";
import { logDomain, type Domain } from "../plots/scale.ts";
import { subjectStyles, type SubjectStyle } from "../plots/subject-style.ts";
import { figureOf } from "./figures.ts";
import { html, nothing, type Markup } from "./markup.ts";
import { foldedTable, type Cell, type Table } from "./table.ts";

/** Every distribution of latencies; those that know nothing of queues are folded away. */
export function latencySection(report: BenchReport): Markup {
  const groups = latencyGroups(report);
  if (groups.length === 0) return nothing;
  const styles = subjectStyles(report.subjects);
  const plotsOf = (from: LatencyGroup["from"]): readonly Markup[] =>
    groups.filter((group) => group.from === from).map((group) => plotOf(group, groups, styles));
  const [intended, called] = [plotsOf("intended"), plotsOf("call")];
  const summary = `Latencies of calls that wait for the one before them: ${called.length}`;
  const folded = html`<details>
    <summary>${summary}</summary>
    <div class="panels">${called}</div>
  </details>`;
  const open = intended.length === 0 ? called : intended;
  return html`<section aria-labelledby="latency">
    <h2 id="latency">Latency</h2>
    <p>
      Both axes are logarithmic: each step to the right is another nine. Latency from the intended
      start includes the time that a call waited for slow ones before it; latency from the call does
      not.
    </p>
    <div class="panels">${open}</div>
    ${intended.length * called.length === 0 ? nothing : folded}
    ${foldedTable("Latencies as a table", latencyTable(groups))}
  </section> `;
}

function plotOf(
  group: LatencyGroup,
  groups: readonly LatencyGroup[],
  styles: ReadonlyMap<string, SubjectStyle>,
): Markup {
  const { id, title: work, name, from, curves } = group;
  const title = `${id} ${work}: ${name}`;
  const plot = latencyPlot({
    id: `latency-${groups.indexOf(group)}`,
    title,
    domain: domainOf(groups, id),
    curves: curves.map(({ subject, latency }) => {
      return { name: subject, style: styles.get(subject), latency };
    }),
  });
  return figureOf(title, `latency ${latencyFrom[from]}, by percentile`, plot);
}

/** Plots of one workload share their axis, so that they can be compared. */
function domainOf(groups: readonly LatencyGroup[], id: string): Domain {
  const curves = groups.filter((group) => group.id === id).flatMap((group) => group.curves);
  return logDomain(curves.flatMap(({ latency }) => latency.percentiles.map(([, time]) => time)));
}

function latencyTable(groups: readonly LatencyGroup[]): Table {
  const latencies = groups.flatMap(({ curves }) => curves.map(({ latency }) => latency));
  const met = latencies.flatMap(({ percentiles }) => percentiles.map(([percentile]) => percentile));
  const columns = [...new Set(met)].toSorted((left, right) => left - right);
  return {
    caption: "Latency at each percentile",
    head: [
      { title: "distribution" },
      { title: "store" },
      { title: "counts" },
      { title: "calls", number: true },
      { title: "planned a second", number: true },
      ...columns.map((percentile) => ({ title: formatPercentile(percentile), number: true })),
    ],
    rows: groups.flatMap(({ id, title, name, from, curves }) =>
      curves.map(({ subject, latency }): readonly Cell[] => [
        `${id} ${title}: ${name}`,
        subject,
        latencyFrom[from],
        formatCount(latency.count),
        latency.rate === null
          ? { missing: "each call waits for the one before it" }
          : formatCount(Math.round(latency.rate)),
        ...columns.map((percentile): Cell => {
          const pair = latency.percentiles.find(([one]) => one === percentile);
          return pair === undefined ? { missing: "not measured" } : formatTime(pair[1]);
        }),
      ]),
    ),
  };
}
