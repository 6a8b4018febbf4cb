import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listExports } from './support/public-names.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = join(root, 'packages/millrace/src')
const folder = join(sources, 'public')

function filesUnder(path: string, pattern: RegExp): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file) && !file.includes('node_modules'))
    .map((file) => join(path, file))
}

const exported = filesUnder(folder, /\.ts$/).flatMap((file) =>
  listExports(file).map((one) => ({ ...one, file: file.slice(folder.length + 1) })),
)

test('every public value is named in a guide or used in an example', () => {
  const files = [
    join(root, 'README.md'),
    // Without the reference, which names everything, and the statements of the seeds.
    ...filesUnder(join(root, 'docs'), /(?<!reference|seed-compatibility)\.md$/),
    ...filesUnder(join(root, 'examples'), /\.(?:md|tsx?|m?js)$/),
  ]
  const words = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []))
  const values = exported.filter(({ isType }) => !isType)
  expect(values.length).toBeGreaterThan(100)
  const unnamed = values.filter(({ name }) => !words.has(name))
  expect(unnamed.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

test('every public name has a doc comment', () => {
  const silent = exported.filter(({ hasComment }) => !hasComment)
  expect(silent.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

test('a name means the same at every subpath and in every index.ts of a module', () => {
  const doors = filesUnder(sources, /(?:^|[\\/])index\.ts$|^public[\\/].*\.ts$/).flatMap(
    listExports,
  )
  const places = new Map<string, Set<string | undefined>>()
  for (const { name, place } of doors) {
    places.set(name, (places.get(name) ?? new Set()).add(place))
  }
  const ambiguous = [...places].filter(([, { size }]) => size > 1).map(([name]) => name)
  // The part of each protocol that is loaded when it is used.
  expect(ambiguous).toEqual(['code'])
})
