import { expect, test } from 'vitest'
import { findDrift, isInstalled } from './install.mjs'

const wanted = {
  '': { version: '0.0.0' },
  'packages/millrace': { version: '0.1.0' },
  'node_modules/millrace': { resolved: 'packages/millrace', link: true },
  'node_modules/hono': { version: '4.13.17' },
  'node_modules/only-on-mac': { version: '1.0.0', optional: true },
}

test('a tree that holds every package of the lockfile needs no install', () => {
  expect(isInstalled(wanted, { 'node_modules/hono': { version: '4.13.17' } })).toBe(true)
})

test('a missing package or another version needs one', () => {
  expect(isInstalled(wanted, {})).toBe(false)
  expect(isInstalled(wanted, { 'node_modules/hono': { version: '4.13.16' } })).toBe(false)
})

test('a manifest that asks for other dependencies than the lockfile holds is named', () => {
  const packages = {
    '': { dependencies: { a: '1' } },
    'packages/x': { devDependencies: { b: '2' } },
    'node_modules/a': {},
  }
  const manifests = {
    'package.json': packages[''],
    'packages/x/package.json': packages['packages/x'],
  }
  expect(findDrift(packages, (path) => manifests[path])).toBeUndefined()
  manifests['packages/x/package.json'] = { devDependencies: { b: '3' } }
  expect(findDrift(packages, (path) => manifests[path])).toBe('packages/x/package.json')
})
