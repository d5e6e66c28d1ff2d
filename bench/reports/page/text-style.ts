/** Text, cards and tables. */
export const textStyle = `
* {
  box-sizing: border-box;
}
html {
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}
body {
  margin: 0;
  background: var(--ground);
  color: var(--ink);
  font:
    15px/1.5 system-ui,
    -apple-system,
    "Segoe UI",
    Roboto,
    "Helvetica Neue",
    sans-serif;
  font-variant-numeric: tabular-nums;
}
main {
  max-width: 1200px;
  margin: 0 auto;
  padding: 40px 20px 64px;
}
h1 {
  margin: 6px 0 20px;
  max-width: 30em;
  font-size: clamp(22px, 3.4vw, 36px);
  line-height: 1.18;
  letter-spacing: -0.015em;
  text-wrap: balance;
  overflow-wrap: anywhere;
}
h2 {
  margin: 0 0 6px;
  font-size: 21px;
  line-height: 1.25;
  letter-spacing: -0.01em;
}
h3 {
  margin: 0;
  font-size: 15px;
  line-height: 1.35;
  overflow-wrap: anywhere;
}
p {
  margin: 0 0 12px;
  max-width: 68ch;
}
section {
  margin-top: 52px;
  padding-top: 20px;
  border-top: 1px solid var(--rule);
}
.kicker,
.note {
  color: var(--soft);
  font-size: 13px;
  max-width: none;
}
.kicker {
  margin: 0;
}
.findings {
  display: grid;
  gap: 8px 28px;
  margin: 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
}
.findings dt {
  color: var(--soft);
  font-size: 13px;
  overflow-wrap: anywhere;
}
.findings dd {
  margin: 0;
  overflow-wrap: anywhere;
}
.cards {
  display: grid;
  gap: 16px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 216px), 1fr));
  margin-top: 18px;
}
.card {
  min-width: 0;
  padding: 16px 18px 14px;
  background: var(--surface);
  border: 1px solid var(--rule);
  border-radius: 10px;
  break-inside: avoid;
}
.card h3 {
  display: flex;
  align-items: center;
  gap: 8px;
}
.card h3 span {
  min-width: 0;
}
.swatch {
  flex: none;
  width: 30px;
  height: 12px;
  overflow: visible;
}
.big {
  margin: 10px 0 0;
  font-size: 34px;
  line-height: 1.1;
  font-weight: 650;
  letter-spacing: -0.02em;
}
.vague {
  color: var(--soft);
  font-weight: 400;
}
.big small {
  font-size: 17px;
  font-weight: 400;
  color: var(--soft);
  letter-spacing: 0;
}
.card .note {
  margin: 2px 0 12px;
  overflow-wrap: anywhere;
}
.stats {
  margin: 0;
  font-size: 13px;
}
.stats div {
  display: flex;
  justify-content: space-between;
  gap: 12px;
  padding: 4px 0;
  border-top: 1px solid var(--grid);
}
.stats dt {
  color: var(--soft);
}
.stats dd {
  margin: 0;
  white-space: nowrap;
}
.card .promise {
  margin: 10px 0 0;
}
.panels {
  display: grid;
  gap: 32px 36px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  margin-top: 20px;
}
.flow {
  columns: 2 440px;
  column-gap: 36px;
  margin-top: 20px;
}
.flow figure {
  margin-bottom: 14px;
}
figure {
  min-width: 0;
  margin: 0;
  container-type: inline-size;
  break-inside: avoid;
}
figcaption {
  margin-bottom: 12px;
}
figcaption .note {
  display: block;
}
details {
  margin-top: 18px;
}
summary {
  cursor: pointer;
  color: var(--soft);
  font-size: 13px;
}
summary:hover {
  color: var(--ink);
}
:focus-visible {
  outline: 2px solid var(--hue-0);
  outline-offset: 2px;
}
.scroll {
  /* What only screen readers get is placed inside, and cannot widen the page. */
  position: relative;
  overflow-x: auto;
  margin-top: 10px;
}
table {
  border-collapse: collapse;
  font-size: 13px;
  line-height: 1.4;
  min-width: 100%;
}
caption {
  padding: 0 0 8px;
  text-align: left;
  color: var(--soft);
}
th,
td {
  padding: 5px 14px 5px 0;
  text-align: left;
  vertical-align: baseline;
  border-bottom: 1px solid var(--grid);
}
th {
  font-weight: 600;
}
tbody th {
  font-weight: 400;
  min-width: 11em;
  overflow-wrap: anywhere;
}
thead th {
  vertical-align: bottom;
  color: var(--soft);
  font-weight: 400;
  border-bottom-color: var(--rule);
}
td.words {
  min-width: 8em;
}
.number {
  text-align: right;
  white-space: nowrap;
}
.missing {
  color: var(--soft);
}
.spoken {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.facts {
  display: grid;
  grid-template-columns: max-content minmax(0, 1fr);
  gap: 4px 20px;
  margin: 0 0 18px;
  font-size: 13px;
}
.facts dt {
  color: var(--soft);
}
.facts dd {
  margin: 0;
  overflow-wrap: anywhere;
}
ul {
  margin: 0 0 12px;
  padding-left: 20px;
  max-width: 80ch;
}
li {
  overflow-wrap: anywhere;
}
`;
