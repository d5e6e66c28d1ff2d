import { afterEach, describe, expect, test, vi } from "vitest";
import { bytesOf, firstRing, placeOf } from "../test/codecs/fixtures.ts";
import { aesGcm, xchacha, type AesGcmOptions } from "./index.ts";

const keys = firstRing;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function withoutNodeCrypto(): void {
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
}

describe("aesGcm() chooses", () => {
  test("node:crypto where there is one, which is synchronous", () => {
    expect(aesGcm({ keys }).encode(bytesOf("{}"), placeOf())).toBeInstanceOf(Uint8Array);
  });

  test("Web Crypto without node:crypto, which is asynchronous", () => {
    withoutNodeCrypto();
    expect(aesGcm({ keys }).encode(bytesOf("{}"), placeOf())).toBeInstanceOf(Promise);
  });

  test("noble without either, which is synchronous", () => {
    withoutNodeCrypto();
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
    const codec = aesGcm({ keys });
    const sealed = codec.encode(bytesOf("{}"), placeOf()) as Uint8Array;
    expect(sealed).toBeInstanceOf(Uint8Array);
    vi.restoreAllMocks();
    expect(aesGcm({ keys }).decode(sealed, placeOf())).toEqual(Buffer.from("{}"));
  });
});

describe("aesGcm() refuses", () => {
  test("a backend that is not there", () => {
    withoutNodeCrypto();
    expect(() => aesGcm({ keys, backend: "node" })).toThrow("there is no node:crypto here");
    vi.stubGlobal("crypto", {});
    expect(() => aesGcm({ keys, backend: "webcrypto" })).toThrow("there is no Web Crypto here");
  });

  test("a backend that it does not know", () => {
    const options = { keys, backend: "openssl" } as unknown as AesGcmOptions;
    expect(() => aesGcm(options)).toThrow(TypeError);
  });
});

test("xchacha() is synchronous", () => {
  const codec = xchacha({ keys });
  const sealed = codec.encode(bytesOf("{}"), placeOf()) as Uint8Array;
  expect(sealed).toBeInstanceOf(Uint8Array);
  expect(codec.decode(sealed, placeOf())).toEqual(new Uint8Array(bytesOf("{}")));
});
