import { expect, test } from 'vitest'
import { loadPeer } from './load-peer.ts'

const problem =
  'The store needs the package `some-driver`, which could not be loaded. Run `npm install some-driver`.'

test('returns a package that is installed', async () => {
  expect(loadPeer('some-driver', 'The store', () => 1)).toBe(1)
  expect(await loadPeer('some-driver', 'The store', async () => 1)).toBe(1)
})

test('explains a package that is missing', async () => {
  const fail = (): never => {
    throw new Error('Cannot find module')
  }
  expect(() => loadPeer('some-driver', 'The store', fail)).toThrow(problem)
  await expect(loadPeer('some-driver', 'The store', async () => fail())).rejects.toThrow(problem)
})
