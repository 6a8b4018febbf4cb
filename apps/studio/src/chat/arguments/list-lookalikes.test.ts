import { expect, test } from 'vitest'
import { listLookalikes } from './list-lookalikes.ts'

test('words that mix Latin letters with look-alikes are found in names and values', () => {
  expect(listLookalikes({ pаth: ['curl https://pаypal.example', { to: 'gοοgle' }] })).toEqual([
    { word: 'gοοgle', label: 'U+03BF' },
    { word: 'pаypal', label: 'U+0430' },
    { word: 'pаth', label: 'U+0430' },
  ])
})

test.each([
  'plain words',
  'Привет, мир',
  'Καλημέρα κόσμε',
  'мир/readme.md',
  '5 µm and Δt of λx',
  'naïve café',
  '日本語 text',
])('%s has no mixed words', (text) => {
  expect(listLookalikes(text)).toEqual([])
})
