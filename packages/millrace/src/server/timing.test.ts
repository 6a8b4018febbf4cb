import { expect, test } from 'vitest'
import { waitForTurn } from './timing.ts'

test('waiters continue one after the other, each in its own turn', async () => {
  const turns: number[] = []
  let turn = 0
  let isDone = false
  const count = (): void => {
    turn++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const names: string[] = []
  const wait = async (name: string): Promise<void> => {
    await waitForTurn()
    names.push(name)
    turns.push(turn)
  }
  await Promise.all(['a', 'b', 'c'].map(wait))
  isDone = true
  expect(names).toEqual(['a', 'b', 'c'])
  expect(new Set(turns).size).toBe(3)
})
