import type { BenchReport, Figure, SubjectSummary } from "../../bench-report.ts";
import { diskBytes, latencyAt, missingRatio, tailOf } from "../findings.ts";
import { dash, formatBytes, formatInterval, formatRatio, formatTime } from "../format-number.ts";
import { styleClass, subjectStyles, type SubjectStyle } from "../plots/subject-style.ts";
import { mark } from "../plots/drawing.ts";
import { isVague } from "../story.ts";
import { html, nothing, type Markup } from "./markup.ts";

/** A card for every store: what it promises, its key figures, and how it looks in the plots. */
export function cards(report: BenchReport): Markup {
  if (report.subjects.length === 0) return nothing;
  const styles = subjectStyles(report.subjects);
  const all = report.subjects.map((subject) => cardOf(report, subject, styles.get(subject.name)));
  return html`<section aria-labelledby="stores">
    <h2 id="stores">Stores</h2>
    <p class="note">
      Large: the time of one append over that of the bare operation beside it, measured in turn, and
      where that lies with 95 % confidence; grey where the ends are more than a factor of 2 apart.
    </p>
    <div class="cards">${all}</div>
  </section> `;
}

function cardOf(
  report: BenchReport,
  subject: SubjectSummary,
  style: SubjectStyle | undefined,
): Markup {
  const { name, durability, concurrency } = subject;
  const figures = report.figures.filter((figure) => figure.subject === name);
  const lead = figures.find(({ workload }) => workload === "W01") ?? figures[0];
  const stats = statsOf(report, subject, figures).map(([title, value]) => {
    return html`<div>
      <dt>${title}</dt>
      <dd>${value}</dd>
    </div> `;
  });
  return html`<article class="card">
    <h3>${swatch(style)}<span>${name}</span></h3>
    ${lead === undefined ? html`<p class="note">nothing was measured</p>` : bigFigure(lead)}
    <dl class="stats">${stats}</dl>
    <p class="note promise">durability: ${durability}; writers: ${concurrency}</p>
  </article> `;
}

function bigFigure(figure: Figure): Markup {
  const { ratio, floor, title } = figure;
  if (ratio === null) {
    return html`<p class="big">${dash} <small>× floor</small></p>
      <p class="note">${title}: ${missingRatio(figure) ?? ""}</p>`;
  }
  const kind = isVague(ratio) ? "big vague" : "big";
  return html`<p class="${kind}">${formatRatio(ratio.estimate)} <small>×</small></p>
    <p class="note">${title} beside ${floor?.name ?? "the floor"}; ${formatInterval(ratio)}</p>`;
}

function statsOf(
  report: BenchReport,
  subject: SubjectSummary,
  figures: readonly Figure[],
): ReadonlyArray<readonly [title: string, value: string]> {
  const timeOf = (workload: string, title: (per: string) => string): Array<[string, string]> => {
    const figure = figures.find((one) => one.workload === workload);
    return figure === undefined ? [] : [[title(figure.per), formatTime(figure.time.median)]];
  };
  const codec = figures.find(({ codecRatio }) => codecRatio !== null)?.codecRatio ?? null;
  const tail = figures.map(({ latencies }) => tailOf(latencies)).find((one) => one !== null);
  const bytes = diskBytes(report, subject.name);
  return [
    ...timeOf("W01", () => "append 1"),
    ...timeOf("W07", (per) => `read, each ${per}`),
    ...timeOf("W08", () => "resume"),
    ...(tail === undefined
      ? []
      : [[`p99.9, ${tail.name}`, formatTime(latencyAt(tail, 99.9))] as const]),
    ...(bytes === null ? [] : [["event on disk", formatBytes(bytes)] as const]),
    ...(codec === null
      ? []
      : [[`beside ${subject.plain ?? "plain"}`, `${formatRatio(codec.estimate)} ×`] as const]),
  ];
}

function swatch(style: SubjectStyle | undefined): Markup {
  return html`<svg class="swatch" aria-hidden="true">
    <path class="curve ${styleClass(style)}" d="M0 6H30" />
    ${mark(style, { x: 0.5, y: 6, radius: 4 }, "")}
  </svg>`;
}
