import type { Report } from "../report.ts";
import { escapeXml } from "./escape-xml.ts";
import { verdictOf } from "./findings.ts";

const height = 20;
const padding = 7;

/** White text on each of them has a contrast of at least 4.5, which WCAG 2.2 asks for. */
const colours = { label: "#3f4650", good: "#1a7f37", bad: "#c0262d", neutral: "#5f6773" };

/**
 * A report as a badge for a README: the level and the capabilities, with the suite's version. It
 * stands alone: no script, no font and nothing from elsewhere.
 */
export function reportBadge(report: Report): string {
  const label = `conformance ${minorOf(report.suite)}`;
  const verdict = verdictOf(report);
  const [left, right] = [widthOf(label), widthOf(verdict)];
  const title = escapeXml(`${report.name}: ${label}: ${verdict}`);
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="corners"><rect width="${width}" height="${height}" rx="3"/></clipPath>
<g clip-path="url(#corners)">
<rect width="${left}" height="${height}" fill="${colours.label}"/>
<rect x="${left}" width="${right}" height="${height}" fill="${colourOf(report)}"/>
</g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-rendering="geometricPrecision">
${textAt(label, padding)}
${textAt(verdict, left + padding)}
</g>
</svg>
`;
}

/** The width is set, so that another font than the one that was measured fits, too. */
function textAt(text: string, x: number): string {
  return `<text x="${x}" y="14" textLength="${widthOf(text) - 2 * padding}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}

function colourOf({ asked, level, counts }: Report): string {
  if (counts.fail + counts.hung + counts.error > 0) return colours.bad;
  if (asked === null) return colours.neutral;
  return level === null ? colours.bad : colours.good;
}

function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Pixels that a text takes with its padding; Verdana at 11 pixels. */
function widthOf(text: string): number {
  let pixels = 0;
  for (const character of text) {
    if (/[ijl.,·\s]/.test(character)) pixels += 3.9;
    else if (/[frt]/.test(character)) pixels += 4.8;
    else if (/[mwMW]/.test(character)) pixels += 10;
    else pixels += 6.9;
  }
  return Math.ceil(pixels) + 2 * padding;
}
