import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { maxNightlyFactor } from './packages/millrace/test/support/runs.ts'
import { programEnvironment } from './scripts/lib/programs.mjs'
import { sourceAliases } from './scripts/lib/source-aliases.ts'

const library = new URL('./packages/millrace/', import.meta.url)

export default defineConfig({
  // Tests run on the sources, so that a stale build can never pass or fail them.
  resolve: { alias: sourceAliases },
  test: {
    // Tests read CHROMIUM_PATH, REDIS_SERVER_PATH and BWRAP_PATH; an absent one means the program was not found.
    env: programEnvironment(),
    // Errors that tests cause are printed for failed tests only.
    silent: 'passed-only',
    setupFiles: [fileURLToPath(new URL('test/support/property-seed.ts', library))],
    // By default vitest keeps a core free. Tests wait for processes and timeouts a third of the time, so one worker more than two cores is busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // The limit finds hangs only: some properties take three seconds of a processor, of which a busy machine provides a twentieth. The limit grows with the number of nightly runs of a property.
    testTimeout: 60_000 * (process.env['MILLRACE_NIGHTLY'] === '1' ? maxNightlyFactor : 1),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Most of the time would go into loading the same modules for each of some 350 files.
          isolate: false,
          // A second, the default, is short on a busy machine.
          expect: { poll: { timeout: 20_000 } },
          include: [
            'packages/millrace/src/**/*.test.{ts,tsx}',
            'packages/tools/src/**/*.test.ts',
            'packages/millrace/test/*.test.ts',
            'packages/millrace/test/seeds/*.test.ts',
            'apps/studio/src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.mjs',
            'soak/src/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          // Each of some 40 files would load the whole library again, for about two seconds.
          isolate: false,
          include: ['packages/millrace/test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          // Longer than a process may take to start.
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'runtimes',
          include: ['packages/millrace/test/runtimes/**/*.test.ts'],
          // Includes a build of a Next.js app, on a busy machine.
          testTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['packages/millrace/test/browser/**/*.test.ts'],
          runner: fileURLToPath(new URL('test/support/browser/browser-runner.ts', library)),
          // Every file would load the whole library again, for about two seconds.
          isolate: false,
          // One file after the other takes 340 s, most of it waiting; more at once than cores make pages miss frames.
          maxWorkers: 2,
          testTimeout: 120_000,
          // Longer than a process may take to start.
          hookTimeout: 120_000,
          // As long as a page waits for an element.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
