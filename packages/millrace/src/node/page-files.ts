import { fileURLToPath } from 'node:url'
import { createStaticFiles, type StaticFiles } from './static-files.ts'

/** The library's own modules: one folder up, where the build has put them. */
const libraryFolder = fileURLToPath(new URL('../', import.meta.url))

/**
 * Builds a server for the files of a page. Under `/millrace/` it has the library's modules, so that a page can import
 * `/millrace/client/index.js` without a build step.
 */
export function createPageFiles(folder: string): StaticFiles {
  const page = createStaticFiles(folder)
  const library = createStaticFiles(libraryFolder, { under: '/millrace' })
  return {
    respond: async (request) => (await page.respond(request)) ?? library.respond(request),
  }
}
