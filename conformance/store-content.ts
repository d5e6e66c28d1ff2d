import { Violation } from "./check.ts";
import { readAll, type Handle } from "./session-state.ts";

/** What a store holds: the events of each session as JSON text. */
export type StoreContent = Readonly<Record<string, readonly string[]>>;

/** The whole content of a store, after a look at whether head, read and list tell the same. */
export async function contentOf(handle: Handle): Promise<StoreContent> {
  const content: Record<string, readonly string[]> = {};
  for (const { id, head } of await handle.list()) {
    const stored = await readAll(handle, id);
    const reported = await handle.head(id);
    const last = stored.at(-1)?.seq ?? 0;
    if (head !== last || reported !== last || stored.length !== last) {
      throw new Violation(
        `${id}: list says ${head}, head ${reported}, and read yields ${stored.length} up to ${last}`,
      );
    }
    content[id] = stored.map(({ event }) => JSON.stringify(event));
  }
  return content;
}

/** Content as a text that can be compared; the order of the list is left out. */
export function contentText(content: StoreContent): string {
  const ids = Object.keys(content).toSorted();
  return JSON.stringify(ids.map((id) => [id, content[id]]));
}
