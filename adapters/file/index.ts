/**
 * Sessions as JSONL files in a directory.
 *
 * @module
 */
export { fileAnchor, type FileAnchorOptions } from "./file-anchor.ts";
export { fileCheckpointer, type FileCheckpointerOptions } from "./file-checkpointer.ts";
export { nodeFilePort, type FilePort } from "./file-port.ts";
export { fileStore } from "./file-store.ts";
export { fileKeyStore, type FileKeyStoreOptions } from "./key-store.ts";
export type { FileStoreOptions } from "./resolve-options.ts";
