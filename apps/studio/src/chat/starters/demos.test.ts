import { expect, test } from 'vitest'
import { demoPrompts } from 'millrace/emulator'
import { demoGroups, firstDemos } from './demos.ts'

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
