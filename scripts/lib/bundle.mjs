import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the entries of a package: for each subpath of `exports` its bundle and its source, a file of `src/public`. */
export function listEntries(folder) {
  const { exports: subpaths } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.keys(subpaths)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => {
      const name = subpath === '.' ? 'index' : subpath.slice(2)
      const bundleName = subpath === '.' ? 'index' : `${name}/index`
      return { subpath, name: bundleName, source: `src/public/${name}.ts` }
    })
}

const isPackage = (specifier) => !/^(?:[./]|[A-Za-z]:[/\\])/.test(specifier)

/**
 * Bundles the own code of a package: one file for each entry, and chunks for shared code. Other packages stay imports, so that users can
 * patch them and have each only once.
 */
export async function bundle(folder, entries, output) {
  const startedAt = Date.now()
  // Installed when something is built, not when this file is loaded.
  const { rolldown } = await import('rolldown')
  const warnings = []
  const bundled = await rolldown({
    cwd: folder,
    input: Object.fromEntries(entries.map(({ name, source }) => [name, `./${source}`])),
    external: isPackage,
    platform: 'neutral',
    onLog: (level, log) => warnings.push(`${level}: ${log.message}`),
  })
  await bundled.write({
    dir: output,
    chunkFileNames: 'chunks/[name].js',
    entryFileNames: '[name].js',
    minifyInternalExports: false,
    comments: { legal: true, annotation: true, jsdoc: false },
  })
  await bundled.close()
  const seconds = (Date.now() - startedAt) / 1000
  return { ok: warnings.length === 0, output: warnings.join('\n'), seconds }
}
