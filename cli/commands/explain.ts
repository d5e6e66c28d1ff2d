import type { Command } from "commander";
import { levels, type Property } from "../../conformance/property.ts";
import { properties } from "../../conformance/properties/index.ts";
import { describeProperty } from "../certify/describe-property.ts";
import { requireProperty } from "../certify/find-property.ts";
import type { Context } from "../context.ts";
import { escapeText, jsonLine } from "../output/escape.ts";
import { globalsOf } from "../with-store.ts";

const help = `
Without a name, all properties by group, one a line. With the id of a property, a level (L1 to L4)
or "all": what each states, what a store needs for it to apply, what goes wrong where it does not
hold, where it did, and how it is checked.`;

export function addExplainCommand(program: Command, context: Context): void {
  program
    .command("explain")
    .argument("[name]", "a property (P53), a level (L2), or all")
    .description("say what certify checks, and why")
    .addHelpText("after", help)
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const { json = false } = globalsOf(command);
      const chosen = choose(name);
      const lines = json
        ? chosen.map((one) => jsonLine(catalogueEntry(one)))
        : (name === undefined ? index(chosen) : details(chosen)).map(escapeText);
      for (const line of lines) await context.out.line(line);
    });
}

function choose(name: string | undefined): readonly Property[] {
  if (name === undefined || name === "all") return properties;
  const level = levels.find((one) => one.toLowerCase() === name.toLowerCase());
  if (level === undefined) return [requireProperty(name)];
  return properties.filter((one) => one.level === level);
}

function index(chosen: readonly Property[]): readonly string[] {
  const groups = [...new Set(chosen.map(({ group }) => group))];
  return groups.flatMap((group, place) => [
    ...(place === 0 ? [] : [""]),
    group,
    ...chosen
      .filter((one) => one.group === group)
      .map(({ id, level, statement }) => `  ${id.padEnd(4)} ${level}  ${statement}`),
  ]);
}

function details(chosen: readonly Property[]): readonly string[] {
  return chosen.flatMap((one, place) => [...(place === 0 ? [] : [""]), ...describeProperty(one)]);
}

/** A property as data: all of it but the code. */
function catalogueEntry(property: Property): object {
  const { requires = [], advisory = false, reports = [], cases, ...rest } = property;
  return {
    ...rest,
    requires,
    advisory,
    reports,
    cases: cases.map(({ name, requires: needs = [] }) => ({ name, requires: needs })),
  };
}
