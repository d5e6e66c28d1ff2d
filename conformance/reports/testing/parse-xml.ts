/** An element of a document that was parsed. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: XmlElement[];
  text: string;
}

const tag = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const characters = /[^<]+/y;
/** https://www.w3.org/TR/xml/#charsets */
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Parses the XML that the reports use. Throws for whatever is not well-formed. */
export function parseXml(document: string): XmlElement {
  if (illegal.test(document)) throw new Error("a character that XML cannot hold");
  const text = document.replace(/^<\?xml [^?]*\?>\s*/, "").trimEnd();
  let top: Open = { name: "", attributes: {}, children: [], text: "" };
  const above: Open[] = [];
  let position = 0;
  while (position < text.length) {
    const [content] = matchAt(characters, text, position) ?? [];
    if (content !== undefined) {
      top.text += decode(content);
      position += content.length;
      continue;
    }
    const match = matchAt(tag, text, position);
    if (match === null) {
      throw new Error(`no tag at ${position}: ${text.slice(position, position + 40)}`);
    }
    const [whole, closing, name = "", attributes = "", empty] = match;
    position += whole.length;
    if (closing === "/") {
      const parent = above.pop();
      if (parent === undefined || top.name !== name) throw new Error(`stray </${name}>`);
      top = parent;
      continue;
    }
    const element: Open = { name, attributes: attributesOf(attributes), children: [], text: "" };
    top.children.push(element);
    if (empty === "/") continue;
    above.push(top);
    top = element;
  }
  const [root, ...more] = top.children;
  if (root === undefined || more.length + above.length > 0) throw new Error("not one element");
  return root;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function attributesOf(text: string): Record<string, string> {
  const found = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)];
  if (new Set(found.map(([, name]) => name)).size !== found.length)
    throw new Error("an attribute twice");
  return Object.fromEntries(found.map(([, name = "", value = ""]) => [name, decode(value)]));
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#9": "\t",
  "#10": "\n",
  "#13": "\r",
};

function decode(text: string): string {
  return text.replace(/&([^;]*);?/g, (_whole, name: string) => {
    const character = entities[name];
    if (character === undefined) throw new Error(`unknown entity ${name}`);
    return character;
  });
}
