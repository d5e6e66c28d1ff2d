import { dash } from "../format-number.ts";
import { html, nothing, type Markup } from "./markup.ts";

/** A table as a page shows it. */
export interface Table {
  readonly caption: string;
  readonly head: readonly Column[];
  readonly rows: ReadonlyArray<readonly Cell[]>;
}

/** A column; the first one names its rows. */
interface Column {
  readonly title: string;
  readonly number?: boolean;
}

/** What a cell says; `missing` is why there is nothing to say. */
export type Cell = string | { readonly missing: string };

/** A table in a box of its own, which scrolls where the page is too narrow for it. Nothing without rows. */
export function tableOf({ caption, head, rows }: Table): Markup {
  if (rows.length === 0) return nothing;
  const titles = head.map(
    (column) => html`<th scope="col" class="${kindOf(column)}">${column.title}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, index) => cellOf(cell, head[index] ?? { title: "" }, index === 0));
    return html`<tr>
      ${cells}
    </tr> `;
  });
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${titles}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div> `;
}

/** The same, folded away. */
export function foldedTable(summary: string, table: Table): Markup {
  if (table.rows.length === 0) return nothing;
  return html`<details>
    <summary>${summary}</summary>
    ${tableOf(table)}
  </details> `;
}

function cellOf(cell: Cell, column: Column, first: boolean): Markup {
  if (first) return html`<th scope="row">${typeof cell === "string" ? cell : dash}</th>`;
  return html`<td class="${kindOf(column)}">
    ${typeof cell === "string" ? cell : missing(cell.missing)}
  </td>`;
}

/** A dash whose reason is said to those who hear the page, and shown to those who point at it. */
function missing(reason: string): Markup {
  return html`<span class="missing" title="${reason}"
    ><span aria-hidden="true">${dash}</span><span class="spoken">${reason}</span></span
  >`;
}

function kindOf({ number = false }: Column): string {
  return number ? "number" : "words";
}
