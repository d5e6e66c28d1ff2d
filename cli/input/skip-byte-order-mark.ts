const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The stream without the byte order mark it may begin with, as RFC 8259 section 8.1 allows. */
export async function* skipByteOrderMark(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < mark.length) continue;
    yield withoutMark(head);
    head = null;
  }
  if (head !== null && head.length > 0) yield head;
}

function withoutMark(head: Buffer): Buffer {
  return head.subarray(0, mark.length).equals(mark) ? head.subarray(mark.length) : head;
}
