import { defineConfig, type ViteUserConfig } from "vitest/config";

const folders = "{src,adapters,codecs,conformance,cli,bench,agent,test,scripts}";

const config: ViteUserConfig = defineConfig({
  test: {
    include: [`${folders}/**/*.test.ts`],
    globalSetup: ["./scripts/build-for-tests.mjs", "./scripts/postgres-for-tests.mjs"],
    typecheck: {
      enabled: true,
      checker: "tsc",
      include: [`${folders}/**/*.test-d.ts`],
      tsconfig: "./tsconfig.json",
      // An error outside the type tests is told once, by `npm run typecheck`.
      ignoreSourceErrors: true,
    },
    // Child processes, not threads: tests load a native addon, send signals and change the umask.
    pool: "forks",
    maxWorkers: 2,
    // Crash and lock tests start processes of their own, and machines that run CI are often busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export default config;
