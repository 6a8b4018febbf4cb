import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  // Declarations mention types that no other file imports.
  exclude: ['types', 'optionalPeerDependencies'],
  workspaces: {
    '.': {
      entry: ['scripts/*.mjs', 'scripts/**/*.test.mjs'],
      project: ['scripts/**/*.mjs'],
      // Run by name from scripts/.
      ignoreDependencies: [
        '@arethetypeswrong/cli',
        // Put in the place of its next version when a page of the browser tests is built.
        'ai-sdk-react-3',
        'oxfmt',
        'oxlint',
        'oxlint-tsgolint',
        'publint',
      ],
    },
    'packages/millrace': {
      entry: [
        'src/public/**/*.ts',
        'src/**/*.test.{ts,tsx}',
        'test/**/*.test.ts',
        // Named by path in vitest.config.ts.
        'test/support/browser/browser-runner.ts',
      ],
      project: ['src/**/*.{ts,tsx}', 'test/**/*.ts'],
      // The tools depend on the library; only its tests use them.
      ignoreDependencies: ['millrace-tools'],
    },
    'packages/tools': {
      entry: ['src/public/*.ts', 'src/cli/main.ts', 'src/**/*.test.ts'],
      project: ['src/**/*.ts'],
    },
    'apps/studio': {
      entry: ['src/**/*.test.{ts,tsx}'],
      project: ['src/**/*.{ts,tsx}'],
    },
    bench: {
      // Pages are bundled by path, and what watches them is read by path.
      entry: ['run.mjs', 'src/page/pages/*.{ts,tsx}', 'src/page/*-watch.mjs'],
      project: ['**/*.{mjs,ts,tsx}'],
    },
    faults: {
      // Started by path, as processes of their own or before them.
      entry: [
        'run.mjs',
        'src/main.ts',
        'src/mill/agents.mjs',
        'src/mill/shift-clock.mjs',
        'src/commands/agents.mjs',
      ],
      project: ['**/*.{mjs,ts}'],
    },
    soak: {
      // Started by path, in the process that is measured.
      entry: ['run.mjs', 'src/main.ts', 'src/server/agents.mjs', 'src/**/*.test.ts'],
      project: ['**/*.{mjs,ts}'],
    },
  },
}

export default config
