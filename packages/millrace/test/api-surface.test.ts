import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { readModule } from './support/read-module.ts'

interface Surface {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

const library = new URL('../', import.meta.url)
const surfaceFile = new URL('api-surface.json', library)
const { exports: subpaths } = JSON.parse(
  readFileSync(new URL('package.json', library), 'utf8'),
) as {
  exports: Record<string, string>
}
const doors = Object.entries(subpaths)
  .filter(([, target]) => target.startsWith('./dist/'))
  .map(([subpath, target]) => ({
    subpath,
    path: fileURLToPath(
      new URL(target.replace('/dist/', '/src/').replace(/\.js$/, '.ts'), library),
    ),
  }))

/** Lists the names that a door's text exports, following its `export *`. */
function namesOf(path: string): readonly string[] {
  const { exports, starExports } = readModule(path, readFileSync(path, 'utf8'))
  const behind = starExports.map((specifier) =>
    fileURLToPath(new URL(specifier, pathToFileURL(path))),
  )
  return [...exports, ...behind.flatMap(namesOf)]
}

/** What exists at run time is a value; what only the text names is a type. */
async function surfaceOf(path: string): Promise<Surface> {
  const values = Object.keys((await import(path)) as object)
  const types = namesOf(path).filter((name) => !values.includes(name))
  return { values: values.sort(), types: [...new Set(types)].sort() }
}

test('every subpath exports exactly the names of api-surface.json (npm test -- --update accepts new ones)', async () => {
  const actual = Object.fromEntries(
    await Promise.all(
      doors.map(async ({ subpath, path }) => [subpath, await surfaceOf(path)] as const),
    ),
  )
  if (process.env['UPDATE_API'] === '1') {
    writeFileSync(surfaceFile, `${JSON.stringify(actual, null, 2)}\n`)
  }
  expect(actual).toEqual(JSON.parse(readFileSync(surfaceFile, 'utf8')))
})
