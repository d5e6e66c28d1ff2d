import { plotStyle } from "../plots/plot-style.ts";
import { textStyle } from "./text-style.ts";

/**
 * Hues are told apart with any kind of colour vision, and are never the only difference. In both schemes
 * they have a contrast of at least 4.5 on their ground, which WCAG 2.2 asks of text.
 */
const colours = `
:root {
  color-scheme: light dark;
  --ground: #fbfbf9;
  --surface: #ffffff;
  --ink: #1b1e23;
  --soft: #59616c;
  --rule: #dfe2e6;
  --grid: #e9ebee;
  --hue-0: #1d6fb8;
  --hue-1: #c2510c;
  --hue-2: #0b7f5f;
  --hue-3: #9b4c8c;
  --hue-4: #9a6b00;
  --hue-5: #5b6570;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121417;
    --surface: #1a1d21;
    --ink: #e9ebee;
    --soft: #a0a8b3;
    --rule: #30353c;
    --grid: #262a30;
    --hue-0: #6fb3f2;
    --hue-1: #ff9457;
    --hue-2: #45cfa3;
    --hue-3: #e09bd2;
    --hue-4: #e6b950;
    --hue-5: #aab3bf;
  }
}
`;

const paper = `
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff;
    --surface: #ffffff;
    --ink: #000000;
    --soft: #444444;
    --rule: #bbbbbb;
    --grid: #dddddd;
    --hue-0: #1d6fb8;
    --hue-1: #c2510c;
    --hue-2: #0b7f5f;
    --hue-3: #9b4c8c;
    --hue-4: #9a6b00;
    --hue-5: #5b6570;
  }
  body,
  .kicker,
  .note,
  .stats,
  .findings dt,
  .facts,
  summary,
  table {
    font-size: 11.5px;
  }
  main {
    max-width: none;
    padding: 0;
  }
  section {
    margin-top: 24px;
  }
  h2 {
    break-after: avoid;
  }
  .scroll {
    overflow: visible;
  }
  details::details-content {
    content-visibility: visible;
    block-size: auto;
  }
}
`;

/** The page's style. */
export const pageStyle: string = [colours, textStyle, plotStyle, paper].join("");
