import { expect, test } from 'vitest'
import { uncaughtIn } from '../../test/support/uncaught-in.ts'
import { atTurnEnd } from './at-turn-end.ts'

test('calls are made together and in order, and those made meanwhile in the next turn', async () => {
  const made: string[] = []
  atTurnEnd(() => made.push('a'))
  atTurnEnd(() => {
    made.push('b')
    atTurnEnd(() => made.push('d'))
  })
  atTurnEnd(() => made.push('c'))
  expect(made).toEqual([])
  await new Promise(setImmediate)
  expect(made).toEqual(['a', 'b', 'c'])
  await new Promise(setImmediate)
  expect(made).toEqual(['a', 'b', 'c', 'd'])
})

test('what one of them throws is told, and keeps none of the others from being called', async () => {
  const made: string[] = []
  const uncaught = await uncaughtIn(async () => {
    atTurnEnd(() => {
      throw new Error('first')
    })
    atTurnEnd(() => made.push('second'))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  })
  expect(made).toEqual(['second'])
  expect(uncaught.map(String)).toEqual(['Error: first'])
})
