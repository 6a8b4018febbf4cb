import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/errors/index.ts'

test('docs/errors.md describes every code, in the order of the catalogue', () => {
  const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...document.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, code, text]) => [
    code,
    text,
  ])
  expect(rows).toEqual(Object.entries(errorCodes))
})
