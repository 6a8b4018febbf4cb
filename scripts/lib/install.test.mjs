import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findDrift, findLockfileFaults, isInstalled } from './install.mjs'

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

test('a manifest that requires other dependencies than the lockfile has is named', () => {
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

test('`npm start` needs neither development dependencies nor optional peers', () => {
  const lock = {
    'node_modules/hono': { version: '4.13.17' },
    'node_modules/vitest': { version: '4.1.12', dev: true },
    'node_modules/openai': { version: '6.49.0', peer: true },
    'node_modules/tsx': { version: '4.23.15', devOptional: true },
  }
  const installed = { 'node_modules/hono': { version: '4.13.17' } }
  expect(isInstalled(lock, installed, 'start')).toBe(true)
  expect(isInstalled(lock, installed)).toBe(false)
  expect(isInstalled(lock, {}, 'start')).toBe(false)
})

test('a lockfile without packages of other platforms, or with an address of a registry, is rejected', () => {
  const packages = {
    'node_modules/a': { optionalDependencies: { 'a-mac': '1.0.0', 'a-linux': '1.0.0' } },
    'node_modules/a-linux': { resolved: 'https://example.com/a-linux.tgz' },
    'node_modules/millrace': { resolved: 'packages/millrace', link: true },
  }
  expect(findLockfileFaults(packages)).toEqual([
    'node_modules/a has no entry for its optional dependency a-mac',
    'node_modules/a-linux names an address: https://example.com/a-linux.tgz',
  ])
})

test.each(['', 'examples/deploy/'])('the lockfile in "%s" has no such fault', (folder) => {
  const text = readFileSync(new URL(`../../${folder}package-lock.json`, import.meta.url), 'utf8')
  expect(findLockfileFaults(JSON.parse(text).packages)).toEqual([])
})
