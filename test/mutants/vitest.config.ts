import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: { include: ["test/mutants/suite.ts"], pool: "forks", testTimeout: 30_000 },
});

export default config;
