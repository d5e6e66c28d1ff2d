import { expect, test } from "vitest";
import { readTrace } from "./trace-calls.ts";

const folder = "/tmp/store";

const trace = `
11 access("/ckpt-bench-mark/1", F_OK) = -1 ENOENT (No such file or directory)
11 write(17</tmp/store/a.jsonl>, "{\\"seq\\":1}", 1024) = 1024
12 fdatasync(17</tmp/store/a.jsonl> <unfinished ...>
11 write(1</dev/pts/0>, "hello", 5) = 5
12 <... fdatasync resumed>) = 0
11 openat(AT_FDCWD</home>, "/tmp/store/a.jsonl", O_RDONLY|O_CLOEXEC) = 18</tmp/store/a.jsonl>
11 openat(AT_FDCWD</home>, "/tmp/store/b", O_WRONLY|O_CREAT, 0600) = 19</tmp/store/b>
11 pwrite64(20</tmp/store/x.db-wal>, "\\0", 4096, 0) = -1 ENOSPC (No space left on device)
11 faccessat2(AT_FDCWD</home>, "/ckpt-bench-mark/between", F_OK, 0) = -1 ENOENT (No such file)
11 write(17</tmp/store/a.jsonl>, "x", 1) = 1
`;

test("a part of a trace holds what was done to the folder between two marks", () => {
  const parts = readTrace(trace, folder);
  expect(parts.get("1")).toEqual({ syncs: 1, writes: 2, writtenBytes: 1_024, others: 1 });
  expect(parts.get("between")).toEqual({ syncs: 0, writes: 1, writtenBytes: 1, others: 0 });
});

test("what comes before the first mark counts for nothing", () => {
  expect(readTrace('11 write(3</tmp/store/a>, "x", 1) = 1\n', folder).size).toBe(0);
});
