import type { BenchReport } from "../bench-report.ts";
import { cards } from "./page/cards.ts";
import { codecSection, floorSection, growthSection } from "./page/figures.ts";
import { header } from "./page/header.ts";
import { latencySection } from "./page/latencies.ts";
import { html } from "./page/markup.ts";
import { pageStyle } from "./page/style.ts";
import { counterSection, detailSection, methodSection, skipSection } from "./page/tables.ts";
import { storyOf } from "./story.ts";

/**
 * A report as one page that stands alone: no script, no font, nothing from elsewhere; its policy
 * forbids browsers to load anything. It is well-formed XML behind its first line.
 */
export function benchHtml(report: BenchReport): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta
        http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'"
      />
      <meta name="generator" content="checkpointer-kit ${report.suite}" />
      <title>Bench: ${storyOf(report).headline}</title>
      <style>
        ${{ markup: pageStyle }}
      </style>
    </head>
    <body>
      <main>
        ${header(report)} ${cards(report)} ${floorSection(report)} ${codecSection(report)}
        ${latencySection(report)} ${growthSection(report)} ${counterSection(report)}
        ${detailSection(report)} ${skipSection(report)} ${methodSection(report)}
      </main>
    </body>
  </html> `;
  return `<!doctype html>\n${page.markup.trimEnd()}\n`;
}
