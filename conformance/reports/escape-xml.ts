/**
 * What XML 1.0 cannot hold at all, not even as a reference: most control characters, lone surrogates
 * and two non-characters.
 *
 * @see https://www.w3.org/TR/xml/#charsets
 */
// oxlint-disable-next-line no-control-regex
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu;

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  // A parser makes spaces of them inside attributes.
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

/** `text` as content or attribute of an XML element; what XML cannot hold becomes a JSON-style escape. */
export function escapeXml(text: string): string {
  return text
    .replace(impossible, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    })
    .replace(/[&<>"'\n\r\t]/g, (character) => references[character] ?? character);
}
