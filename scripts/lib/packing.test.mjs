import { expect, test } from 'vitest'
import { findPackingFaults } from './packing.mjs'

const whole = [
  'package.json',
  'README.md',
  'LICENSE',
  'bin.js',
  'dist/index.js',
  'dist/client/index.js',
  'types/public/index.d.ts',
].map((name) => `package/${name}`)

test('a package has everything that its users run, and no dangling reference', () => {
  expect(findPackingFaults('millrace', whole)).toEqual([])
  expect(findPackingFaults('millrace', whole.slice(0, -1))).toEqual([
    'types/public/index.d.ts is not in the package.',
  ])
  expect(
    findPackingFaults('millrace', [...whole, 'package/dist/a.js.map', 'package/dist/a.test.js']),
  ).toEqual([
    'package/dist/a.js.map must not be packed.',
    'package/dist/a.test.js must not be packed.',
  ])
  expect(findPackingFaults('millrace-tools', whole)).toContain(
    'studio/index.html is not in the package.',
  )
})
