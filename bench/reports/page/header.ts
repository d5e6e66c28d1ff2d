import type { BenchReport } from "../../bench-report.ts";
import { formatMoment } from "../format-number.ts";
import { storyOf } from "../story.ts";
import { html, nothing, type Markup } from "./markup.ts";

/** The top of the page: what stands out, in sentences made of the figures. */
export function header(report: BenchReport): Markup {
  const { headline, findings } = storyOf(report);
  const { suite, startedAt, effort } = report;
  const items = findings.map(({ about, sentence }) => {
    return html`<div>
      <dt>${about}</dt>
      <dd>${sentence}</dd>
    </div> `;
  });
  const list = items.length === 0 ? nothing : html`<dl class="findings">${items}</dl>`;
  return html`<header>
    <p class="kicker">checkpointer-kit ${suite} bench, ${formatMoment(startedAt)}, ${effort}</p>
    <h1>${headline}</h1>
    ${list}
  </header> `;
}
