import { expect, test } from 'vitest'
import { findPackingFaults } from './packing.mjs'

const whole = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/cli/main.js',
  'dist/cli/init/template/agents.js',
  'dist/cli/conformance/vectors/sse.jsonl',
  'studio/index.html',
].map((name) => `package/${name}`)

test('a package has all that its users run, and nothing that points nowhere', () => {
  expect(findPackingFaults(whole)).toEqual([])
  expect(findPackingFaults(whole.slice(0, -1))).toEqual([
    'studio/index.html is not in the package.',
  ])
  expect(findPackingFaults([...whole, 'package/dist/a.js.map', 'package/dist/a.test.js'])).toEqual([
    'package/dist/a.js.map must not be packed.',
    'package/dist/a.test.js must not be packed.',
  ])
})
