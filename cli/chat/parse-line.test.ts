import { describe, expect, it } from "vitest";
import { chatCommands, chatHelp, parseLine } from "./parse-line.ts";

const all = { files: true, conversation: true, force: false };

describe("parseLine()", () => {
  it.each([
    ["", null],
    [" \t ", null],
    ["Fix it", { name: "send", prompt: "Fix it" }],
    [" /help me", { name: "send", prompt: " /help me" }],
    ["/etc/hosts is wrong", { name: "send", prompt: "/etc/hosts is wrong" }],
    ["/ a", { name: "send", prompt: "/ a" }],
    ["/compact", { name: "compact", instructions: undefined }],
    ["/compact  keep a/b.ts ", { name: "compact", instructions: "keep a/b.ts" }],
    ["/restore 12", { name: "restore", seq: 12, options: all }],
    [
      "/restore --force 3 --files-only",
      { name: "restore", seq: 3, options: { ...all, conversation: false, force: true } },
    ],
    [
      "/restore 3 --conversation-only",
      { name: "restore", seq: 3, options: { ...all, files: false } },
    ],
    ["/resume a b~1 ", { name: "resume", sessionId: "a b~1", force: false }],
    ["/resume a --force", { name: "resume", sessionId: "a", force: true }],
    ["/resume --force", { name: "resume", sessionId: "--force", force: false }],
    ["/exit ", { name: "exit" }],
  ])("reads %j", (line, request) => {
    expect(parseLine(line)).toEqual(request);
  });

  it.each([
    ["/frob", "No command /frob; /help lists them"],
    ["/restore", /^Wanted \/restore <seq> /],
    ["/restore 0", /^Wanted \/restore <seq> /],
    ["/restore 1e3", /^Wanted \/restore <seq> /],
    ["/restore 1 2", /^Wanted \/restore <seq> /],
    ["/restore 1 --conversation", /^Wanted \/restore <seq> /],
    ["/restore 1 --files-only --conversation-only", /nothing to do/],
    ["/resume", "Wanted /resume <id>; /sessions lists them"],
    ["/clear all", "/clear stands alone"],
  ])("refuses %j", (line, message) => {
    expect(() => parseLine(line)).toThrow(message);
  });

  it("knows every command that /help lists", () => {
    const arguments_ = { "/restore": " 1", "/resume": " id" } as Record<string, string>;
    for (const name of chatCommands) {
      expect(chatHelp).toContain(name);
      expect(parseLine(name + (arguments_[name] ?? ""))).toMatchObject({ name: name.slice(1) });
    }
  });
});
