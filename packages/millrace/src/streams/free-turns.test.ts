import { expect, test } from 'vitest'
import { holdTurns, inFreeTurn } from './free-turns.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a call waits while turns are held, and no longer', async () => {
  let isCalled = false
  inFreeTurn(() => (isCalled = true))
  for (let turn = 0; turn < 10; turn++) {
    holdTurns()
    await nextTurn()
    expect(isCalled).toBe(false)
  }
  await expect.poll(() => isCalled).toBe(true)
})

test('a call is made at last though every turn is held', async () => {
  let isCalled = false
  inFreeTurn(() => (isCalled = true))
  let turns = 0
  while (!isCalled) {
    holdTurns()
    await nextTurn()
    turns++
  }
  expect(turns).toBeGreaterThan(40)
  expect(turns).toBeLessThan(60)
})

test('a call is made in the next turn where none is held', async () => {
  await nextTurn()
  await nextTurn()
  let isCalled = false
  inFreeTurn(() => (isCalled = true))
  await nextTurn()
  expect(isCalled).toBe(true)
})
