import { expect, test } from 'vitest'
import { holdTurns, inFreeTurn } from './free-turns.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('delays a call only while turns are reserved', async () => {
  let isCalled = false
  inFreeTurn(() => (isCalled = true))
  for (let turn = 0; turn < 10; turn++) {
    holdTurns()
    await nextTurn()
    expect(isCalled).toBe(false)
  }
  await expect.poll(() => isCalled).toBe(true)
})

test('makes a call eventually even if every turn is reserved', async () => {
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

test('makes a call in the next turn if none is reserved', async () => {
  await nextTurn()
  await nextTurn()
  let isCalled = false
  inFreeTurn(() => (isCalled = true))
  await nextTurn()
  expect(isCalled).toBe(true)
})
