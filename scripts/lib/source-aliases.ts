import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folders = {
  millrace: new URL('../../packages/millrace/', import.meta.url),
  'millrace-tools': new URL('../../packages/tools/', import.meta.url),
}

/** The public subpaths of both packages with their source files, as aliases of Vite. */
export const sourceAliases = Object.entries(folders).flatMap(([name, folder]) => {
  const { exports: subpaths } = JSON.parse(
    readFileSync(new URL('package.json', folder), 'utf8'),
  ) as { exports: object }
  return Object.keys(subpaths).map((subpath) => {
    const file = subpath === '.' ? 'index' : subpath.slice(2)
    return {
      find: new RegExp(`^${name}${subpath.slice(1)}$`),
      replacement: fileURLToPath(new URL(`src/public/${file}.ts`, folder)),
    }
  })
})
