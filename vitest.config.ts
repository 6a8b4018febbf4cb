import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { programEnvironment } from './scripts/lib/programs.mjs'

const library = new URL('./packages/millrace/', import.meta.url)
const { exports: subpaths } = JSON.parse(readFileSync(new URL('package.json', library), 'utf8'))

/** Tests run on the sources, so that a stale build can never pass or fail them. */
const alias = Object.entries<string>(subpaths)
  .filter(([, target]) => target.startsWith('./dist/'))
  .map(([subpath, target]) => ({
    find: new RegExp(`^millrace${subpath.slice(1)}$`),
    replacement: fileURLToPath(
      new URL(target.replace('/dist/', '/src/').replace(/\.js$/, '.ts'), library),
    ),
  }))

export default defineConfig({
  resolve: { alias },
  test: {
    // Tests read CHROMIUM_PATH and REDIS_SERVER_PATH; an absent one means the program was not found.
    env: programEnvironment(),
    // Left to itself vitest keeps a core free, which on two cores is half of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: process.env['MILLRACE_NIGHTLY'] === '1' ? 600_000 : 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Most of the time would go into loading the same modules for each of some 350 files.
          isolate: false,
          include: [
            'packages/millrace/src/**/*.test.{ts,tsx}',
            'packages/millrace/test/*.test.ts',
            'apps/studio/src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.mjs',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['packages/millrace/test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['packages/millrace/test/browser/**/*.test.ts'],
          // One file after the other takes 340 s, most of it waiting; more at once than cores make pages miss frames.
          maxWorkers: 2,
          // A machine that is busy with something else can make a page miss a moment; what is wrong fails again.
          retry: process.env['CI'] === 'true' ? 1 : 0,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // As long as a page waits for an element.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
