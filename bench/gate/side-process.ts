// The process of one side of a comparison. It loads that side's code and nobody else's, and runs a block
// of work whenever it is told to.

import process from "node:process";
import type { SideAnswer, SideRequest } from "./messages.ts";
import { prepareSide, type PreparedSide } from "./prepare-side.ts";

let prepared: PreparedSide | undefined;

async function answerTo(request: SideRequest): Promise<SideAnswer> {
  switch (request.do) {
    case "prepare": {
      const side = await prepareSide(request);
      if (typeof side === "string") return { type: "prepared", refusal: side };
      prepared = side;
      return { type: "prepared", refusal: null };
    }
    case "run": {
      if (prepared === undefined) throw new Error("nothing is prepared");
      return { type: "ran", cost: await prepared.run(request.operations) };
    }
    case "close":
      await prepared?.close();
      return { type: "closed" };
  }
}

function tell(answer: SideAnswer): void {
  process.send?.(answer);
}

process.on("message", (request: SideRequest) => {
  answerTo(request).then(tell, (error: unknown) => {
    tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  });
});
// Without a parent there is nobody to work for.
process.once("disconnect", () => process.exit());
