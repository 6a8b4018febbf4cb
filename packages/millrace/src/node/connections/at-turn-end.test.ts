import { expect, test } from 'vitest'
import { uncaughtIn } from '../../../test/support/uncaught-in.ts'
import { atTurnEnd } from './write-stream.ts'

test('calls are made together and in order, and those scheduled meanwhile in the next turn', async () => {
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

test('an error of one call is reported, and does not prevent the others', async () => {
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

/** Blocks the event loop for longer than consecutive calls may take. */
function spin(): void {
  const endsAt = performance.now() + 5
  while (performance.now() < endsAt);
}

test('long calls yield a turn of the event loop between them, and stay in order', async () => {
  const made: string[] = []
  for (const name of ['a', 'b', 'c']) {
    atTurnEnd(() => {
      made.push(name)
      spin()
    })
  }
  for (const expected of ['a', 'ab', 'abc']) {
    await new Promise(setImmediate)
    expect(made.join('')).toBe(expected)
    atTurnEnd(() => made.push('later'))
  }
  await expect.poll(() => made).toEqual(['a', 'b', 'c', 'later', 'later', 'later'])
})
