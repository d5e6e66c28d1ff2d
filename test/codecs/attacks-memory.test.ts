import { attackMatrix } from "./attack-matrix.ts";
import { tamperedMemory } from "./tampered-store.ts";

attackMatrix(tamperedMemory);
