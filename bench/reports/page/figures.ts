import type { BenchReport, Figure } from "../../bench-report.ts";
import {
  diskBytes,
  figureGroups,
  knownRatio,
  missingCodecRatio,
  missingRatio,
  type FigureGroup,
} from "../findings.ts";
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatRatio,
  formatSpread,
  formatTime,
} from "../format-number.ts";
import { barPlot } from "../plots/bar-plot.ts";
import { forestDomain, forestPlot, type ForestGroup } from "../plots/forest-plot.ts";
import { growthPlot } from "../plots/growth-plot.ts";
import { subjectStyles } from "../plots/subject-style.ts";
import { html, nothing, type Markup } from "./markup.ts";
import { foldedTable, type Cell, type Table } from "./table.ts";

/** Every ratio to the floor. */
export function floorSection(report: BenchReport): Markup {
  if (report.figures.length === 0) return nothing;
  const plots = forestHalves(report, "ratio", "the bare operation", "Times the bare operation");
  const body =
    plots.length === 0
      ? html`<p>No figure has a floor to be compared with.</p>`
      : html`<div class="flow">${plots}</div>`;
  return html`<section aria-labelledby="floor">
    <h2 id="floor">Beside the bare operation</h2>
    <p>
      The time of each store over that of its floor: the same bytes written, inserted or parsed
      without the kit, in turn in the same run. A bar is a 95 % interval; one that crosses 1 shows
      no difference.
    </p>
    ${body}${foldedTable("All figures as a table", figureTable(report))}
  </section> `;
}

/** What codecs cost: bytes on disk, and every ratio to the plain store. */
export function codecSection(report: BenchReport): Markup {
  const plots = forestHalves(report, "codecRatio", "the plain store", "Times the plain store");
  const styles = subjectStyles(report.subjects);
  const bars = report.subjects.flatMap(({ name }) => {
    const bytes = diskBytes(report, name);
    return bytes === null ? [] : [{ name, style: styles.get(name), bytes }];
  });
  if (plots.length + bars.length === 0) return nothing;
  const title = "Bytes of one event on disk";
  const sizes =
    bars.length === 0
      ? nothing
      : figureOf(
          title,
          "all files of the store, over its events",
          barPlot({ id: "disk", title, bars }),
        );
  const table: Table = {
    caption: title,
    head: [{ title: "store" }, { title: "bytes", number: true }],
    rows: bars.map(({ name, bytes }) => [name, formatBytes(bytes)]),
  };
  const heading = plots.length === 0 ? "Bytes on disk" : "What codecs cost";
  return html`<section aria-labelledby="codecs">
    <h2 id="codecs">${heading}</h2>
    <div class="flow">${sizes}${plots}</div>
    ${foldedTable("Sizes as a table", table)}
  </section> `;
}

/** How times grow with the session. */
export function growthSection(report: BenchReport): Markup {
  const styles = subjectStyles(report.subjects);
  const groups = figureGroups(report)
    .map((group) => ({
      ...group,
      figures: group.figures.filter(({ growth }) => growth.length > 0),
    }))
    .filter(({ figures }) => figures.length > 0);
  if (groups.length === 0) return nothing;
  const plots = groups.map(({ id, title, per, figures }, index) => {
    const curves = figures.map(({ subject, growth }) => {
      return { name: subject, style: styles.get(subject), growth };
    });
    const plot = growthPlot({ id: `growth-${index}`, title: `${id} ${title}`, curves });
    return figureOf(`${id} ${title}`, `time of one ${per}, against events before it`, plot);
  });
  return html`<section aria-labelledby="growth">
    <h2 id="growth">Behind more and more events</h2>
    <p>A level line does not grow with its session.</p>
    <div class="panels">${plots}</div>
    ${foldedTable("Growth as a table", growthTable(groups))}
  </section> `;
}

/** A plot with what it is. */
export function figureOf(title: string, note: string, plot: Markup): Markup {
  return html`<figure>
    <figcaption>
      <h3>${title}</h3>
      <span class="note">${note}</span>
    </figcaption>
    ${plot}
  </figure> `;
}

/** A forest plot, in two parts of about the same height where there is enough for them. */
function forestHalves(
  report: BenchReport,
  kind: "ratio" | "codecRatio",
  reference: string,
  title: string,
): readonly Markup[] {
  const styles = subjectStyles(report.subjects);
  const groups = figureGroups(report).flatMap(({ id, title: what, figures }): ForestGroup[] => {
    const rows = figures.flatMap((figure) => {
      const name = figure.subject;
      const interval = knownRatio(figure[kind]);
      return interval === null ? [] : [{ name, style: styles.get(name), interval }];
    });
    return rows.length === 0 ? [] : [{ title: `${id} ${what}`, rows }];
  });
  const domain = forestDomain(groups.flatMap(({ rows }) => rows.map(({ interval }) => interval)));
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  let before = 0;
  const halves: [ForestGroup[], ForestGroup[]] = [[], []];
  for (const group of groups) {
    halves[before * 2 < count ? 0 : 1].push(group);
    before += group.rows.length;
  }
  return halves
    .filter((half) => half.length > 0)
    .map((half, index) => {
      const id = `${kind}-${index}`;
      const plot = forestPlot({ id, title, reference, groups: half, domain });
      return figureOf(
        index === 0 ? title : `${title}, continued`,
        `logarithmic axis; 1 is ${reference}`,
        plot,
      );
    });
}

function figureTable(report: BenchReport): Table {
  return {
    caption: "Times of one, with the least and the most of the blocks; ratios with 95 % intervals",
    head: [
      { title: "figure" },
      { title: "store" },
      { title: "blocks", number: true },
      { title: "time", number: true },
      { title: "least to most", number: true },
      { title: "of one" },
      { title: "floor" },
      { title: "its time", number: true },
      { title: "× floor", number: true },
      { title: "95 %", number: true },
      { title: "× plain", number: true },
      { title: "95 %", number: true },
    ],
    rows: report.figures.map((figure) => figureRow(report, figure)),
  };
}

function figureRow(report: BenchReport, figure: Figure): readonly Cell[] {
  const { id, title, subject, per, blocks, time, floor, ratio, codecRatio } = figure;
  const noFloor = { missing: missingRatio(figure) ?? "" };
  const noPlain = { missing: missingCodecRatio(report, figure) ?? "" };
  return [
    `${id} ${title}`,
    subject,
    formatCount(blocks.length),
    formatTime(time.median),
    formatSpread(time),
    per,
    floor === null ? noFloor : floor.name,
    floor === null ? noFloor : formatTime(floor.time.median),
    ratio === null ? noFloor : formatRatio(ratio.estimate),
    ratio === null ? noFloor : formatInterval(ratio),
    codecRatio === null ? noPlain : formatRatio(codecRatio.estimate),
    codecRatio === null ? noPlain : formatInterval(codecRatio),
  ];
}

function growthTable(groups: readonly FigureGroup[]): Table {
  return {
    caption: "Time of one behind so many events, with the least and the most",
    head: [
      { title: "figure" },
      { title: "store" },
      { title: "events", number: true },
      { title: "time", number: true },
      { title: "least to most", number: true },
    ],
    rows: groups.flatMap(({ figures }) =>
      figures.flatMap(({ id, title, subject, growth }) =>
        growth.map(({ events, milliseconds }) => [
          `${id} ${title}`,
          subject,
          formatCount(events),
          formatTime(milliseconds.median),
          formatSpread(milliseconds),
        ]),
      ),
    ),
  };
}
