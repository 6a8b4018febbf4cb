import { expect, test } from 'vitest'
import { demoGroups } from './demos.ts'
import { findDemos } from './find-demos.ts'

const promptsFor = (text: string) => findDemos(text).map(({ prompt }) => prompt)

test('a slash finds all demos, and each letter narrows them', () => {
  expect(promptsFor('/')).toHaveLength(demoGroups.flatMap(({ demos }) => demos).length)
  expect(promptsFor('/demo t')).toEqual(['/demo text', '/demo thinking', '/demo tools'])
})

test('complete, unknown and other texts find nothing', () => {
  for (const text of ['', 'a /demo', '/demo text', '/demo text\n', '/other']) {
    expect(promptsFor(text)).toEqual([])
  }
})
