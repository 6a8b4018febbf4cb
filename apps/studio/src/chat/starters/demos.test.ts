import { expect, test } from 'vitest'
import { demoPrompts } from 'millrace/emulator'
import { demoGroups, firstDemos } from './demos.ts'

test('the page offers what the demo agent can show, group by group', () => {
  const offered = demoGroups.flatMap(({ title, demos }) =>
    demos.map(({ prompt }) => ({ group: title, prompt })),
  )
  expect(offered).toEqual(demoPrompts.map(({ group, prompt }) => ({ group, prompt })))
})

test('what a newcomer sees first is among them', () => {
  const all = demoGroups.flatMap(({ demos }) => demos)
  for (const demo of firstDemos) expect(all).toContain(demo)
})
