import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A key management service for tests: it forgets everything, and fails on demand. */
export interface KmsStub {
  readonly url: string;
  /** Calls that were answered with a key or a ciphertext. */
  readonly answered: { encrypt: number; decrypt: number };
  /** What to do with the requests to come. */
  readonly behaviour: {
    /** Milliseconds before an answer. */
    latencyMs: number;
    /** So many requests get 503. */
    outages: number;
    /** Requests get no answer at all. */
    silent: boolean;
  };
  /** Makes a key-encryption key. */
  createKey(keyName: string): void;
  deleteKey(keyName: string): void;
  /** Ends connections that are waiting, too. */
  close(): Promise<void>;
}

interface Call {
  readonly plaintext?: string;
  readonly ciphertext?: string;
  readonly context?: Readonly<Record<string, string>>;
}

/** Listens on a free port of this machine. */
export async function startKmsStub(): Promise<KmsStub> {
  const keys = new Map<string, Buffer>();
  const answered = { encrypt: 0, decrypt: 0 };
  const behaviour = { latencyMs: 0, outages: 0, silent: false };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = JSON.parse(await textOf(request)) as Call;
    if (behaviour.silent) return;
    await new Promise((resolve) => setTimeout(resolve, behaviour.latencyMs));
    if (behaviour.outages > 0) {
      behaviour.outages -= 1;
      return send(response, 503, { error: "ServiceUnavailable" });
    }
    const [, keyName = "", action] = /^\/keys\/([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
    const key = keys.get(decodeURIComponent(keyName));
    if (key === undefined) return send(response, 404, { error: "NotFound" });
    const result = action === "encrypt" ? encrypt(key, call) : decrypt(key, call);
    if (result === null) return send(response, 400, { error: "InvalidCiphertext" });
    answered[action === "encrypt" ? "encrypt" : "decrypt"] += 1;
    send(response, 200, result);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => send(response, 500, { error: "Internal" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    behaviour,
    createKey: (keyName) => void keys.set(keyName, randomBytes(32)),
    deleteKey: (keyName) => void keys.delete(keyName),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function encrypt(key: Buffer, { plaintext = "", context }: Call): object {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 });
  cipher.setAAD(aadOf(context));
  const body = Buffer.concat([cipher.update(plaintext, "base64"), cipher.final()]);
  return { ciphertext: Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64") };
}

function decrypt(key: Buffer, { ciphertext = "", context }: Call): object | null {
  const bytes = Buffer.from(ciphertext, "base64");
  if (bytes.length < 28) return null;
  const options = { authTagLength: 16 };
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), options);
  decipher.setAAD(aadOf(context));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    const body = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    return { plaintext: body.toString("base64") };
  } catch {
    return null;
  }
}

/** The context in one spelling, whatever order its names came in. */
function aadOf(context: Call["context"] = {}): Buffer {
  const names = Object.keys(context).toSorted((left, right) => (left < right ? -1 : 1));
  return Buffer.from(JSON.stringify(names.map((name) => [name, context[name]])));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
