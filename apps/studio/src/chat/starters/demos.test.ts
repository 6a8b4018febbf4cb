import { expect, test } from 'vitest'
import { demoPrompts } from 'millrace-tools/emulator'
import { demoGroups, findDemos, firstDemos } from './demos.ts'

test('the page lists the demos of the demo agent by group', () => {
  const offered = demoGroups.flatMap(({ title, demos }) =>
    demos.map(({ prompt }) => ({ group: title, prompt })),
  )
  expect(offered).toEqual(demoPrompts.map(({ group, prompt }) => ({ group, prompt })))
})

test('the first demos are among them', () => {
  const all = demoGroups.flatMap(({ demos }) => demos)
  for (const demo of firstDemos) expect(all).toContain(demo)
})

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
