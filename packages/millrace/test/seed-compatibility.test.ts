import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { routes } from '../src/server/routes/routes.ts'
import { readModule } from './support/repository/read-module.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const source = join(root, 'packages/millrace/src')
const table = readFileSync(join(root, 'docs/seed-compatibility.md'), 'utf8')
const { exports: subpaths } = JSON.parse(
  readFileSync(join(root, 'packages/millrace/package.json'), 'utf8'),
) as { exports: Record<string, string> }

/** The names of a module; none if the library has no such module. */
function exportsOf(module: string): readonly string[] {
  const subpath = module.replace('millrace', '.')
  if (subpaths[subpath] === undefined) return []
  const name = subpath === '.' ? 'index' : subpath.slice(2)
  const path = join(source, 'public', `${name}.ts`)
  return readModule(path, readFileSync(path, 'utf8')).exports
}

const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(source, file), 'utf8'))

/** Returns whether an interface of the library has this own member. */
function hasMember(type: string, member: string): boolean {
  const body = new RegExp(`^export interface ${type}\\b[^{]*\\{\\n(.*?)^\\}$`, 'ms')
  const own = new RegExp(`^ {2}(?:readonly )?${member}\\??[:(]`, 'm')
  return sources.some((text) => own.test(body.exec(text)?.[1] ?? ''))
}

test('every name in the table of the seeds’ features is exported', () => {
  const names = [...table.matchAll(/`(millrace(?:\/[\w-]+)?): (\w+)(?:\.(\w+))?`/g)]
  expect(names.length).toBeGreaterThan(80)
  const missing = names.filter(
    ([, module = '', name = '', member]) =>
      !exportsOf(module).includes(name) || (member !== undefined && !hasMember(name, member)),
  )
  expect(missing.map(([text]) => text)).toEqual([])
})

test('the routes of the table exist, and those marked as missing do not', () => {
  const known = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  const named = [...table.matchAll(/(\*\*not yet\*\*: )?`((?:GET|POST) \/[^`]*)`/g)].map(
    ([, notYet, route = '']) => ({ route: route.replace(/\{\w+\}/g, '{}'), isThere: !notYet }),
  )
  expect(named.length).toBeGreaterThan(12)
  expect(named.filter(({ route, isThere }) => known.includes(route) !== isThere)).toEqual([])
})
