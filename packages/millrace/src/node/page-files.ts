import { fileURLToPath } from 'node:url'
import { createStaticFiles, type StaticFiles } from './static-files.ts'

/** The modules of the library: the parent folder in the build. */
const libraryFolder = fileURLToPath(new URL('../', import.meta.url))

/**
 * Creates a server for the files of a page. It serves the library's modules under `/millrace/`, so that a page can
 * import `/millrace/client/index.js` without a build step.
 */
export function createPageFiles(folder: string): StaticFiles {
  const page = createStaticFiles(folder)
  const library = createStaticFiles(libraryFolder, { under: '/millrace' })
  return { respond: async (request) => (await page.respond(request)) ?? library.respond(request) }
}
