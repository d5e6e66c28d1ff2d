import { escapeXml } from "../../../conformance/reports/escape-xml.ts";
import { plainLine } from "../plain-line.ts";

/** Markup that may stand in a page as it is. Only {@link html} makes it. */
export interface Markup {
  readonly markup: string;
}

/** What a template may hold: text, which is escaped, and markup, which is not. */
export type Content = string | number | Markup | readonly Markup[];

/** A template of HTML or SVG, well-formed as XML. Whatever is put into it stands for itself. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  // Indentation is for those who read the template.
  const [first = "", ...rest] = parts.map((part) => part.replace(/\n\s+/g, "\n"));
  const markup = rest.reduce((before, part, index) => {
    return `${before}${markupOf(contents[index] ?? "")}${part}`;
  }, first);
  return { markup };
}

/** Nothing. */
export const nothing: Markup = html``;

function markupOf(content: Content): string {
  if (typeof content === "string") return escapeXml(plainLine(content));
  if (typeof content === "number") return String(content);
  if ("markup" in content) return content.markup;
  return content.map(({ markup }) => markup).join("");
}
