import { attackMatrix } from "./attack-matrix.ts";
import { tamperedFiles } from "./tampered-store.ts";

attackMatrix(tamperedFiles);
