import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { innerNames, toGroups } from './chunks.mjs'

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

const names = {
  chunkFileNames: 'chunks/[name].js',
  entryFileNames: '[name].js',
  minifyInternalExports: false,
}

/**
 * Bundles the own code of a package: one file for each entry, and chunks for shared code. Other packages stay imports, so that users can
 * patch them and have each only once.
 */
export async function bundle(folder, entries, output) {
  const startedAt = Date.now()
  // Installed when something is built, not when this file is loaded.
  const { rolldown } = await import('rolldown')
  const problems = []
  const ownExports = new Map()
  const bundled = await rolldown({
    cwd: folder,
    input: Object.fromEntries(entries.map(({ name, source }) => [name, `./${source}`])),
    external: isPackage,
    platform: 'neutral',
    // Groups that are not closed under imports require it. Names that it adds are problems.
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      { name: 'exports', moduleParsed: ({ id, exports }) => void ownExports.set(id, exports) },
    ],
    onLog: (level, log) => problems.push(`${level}: ${log.message}`),
  })
  const { output: chunks } = await bundled.generate(names)
  const { output: written } = await bundled.write({
    dir: output,
    ...names,
    codeSplitting: { includeDependenciesRecursively: false, groups: toGroups(chunks, ownExports) },
    comments: { legal: true, annotation: true, jsdoc: false },
  })
  await bundled.close()
  for (const chunk of written.filter(({ isEntry }) => isEntry))
    for (const name of innerNames(chunk, ownExports))
      problems.push(
        `${chunk.fileName} exports the internal name ${name}: move it to a module of its own`,
      )
  const seconds = (Date.now() - startedAt) / 1000
  return { ok: problems.length === 0, output: problems.join('\n'), seconds }
}
