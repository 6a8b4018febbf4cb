import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const library = new URL('../../packages/millrace/', import.meta.url)
const { exports: subpaths } = JSON.parse(readFileSync(new URL('package.json', library), 'utf8'))

/** The public subpaths of the library with their source files, as aliases of Vite. */
export const sourceAliases = Object.entries<string>(subpaths)
  .filter(([, target]) => target.startsWith('./dist/'))
  .map(([subpath, target]) => ({
    find: new RegExp(`^millrace${subpath.slice(1)}$`),
    replacement: fileURLToPath(
      new URL(target.replace('/dist/', '/src/').replace(/\.js$/, '.ts'), library),
    ),
  }))
