import { attackMatrix } from "./attack-matrix.ts";
import { tamperedDatabase } from "./tampered-store.ts";

attackMatrix(tamperedDatabase);
