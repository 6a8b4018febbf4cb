import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSharedReads } from './read-lines.ts'

test('an empty response is never older than its request, and a thousand concurrent requests cause at most two reads', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.nat({ max: 40 }), async (plan, writtenAt) => {
      const share = createSharedReads<number>()
      const log: number[] = []
      const ask = async (): Promise<readonly number[]> => {
        await Promise.resolve()
        const found = [...log]
        for (let n = 0; n < 3; n++) await Promise.resolve()
        return found
      }
      const answers: Promise<void>[] = []
      for (const [index, gap] of plan.entries()) {
        if (index === writtenAt) log.push(1)
        const isWritten = log.length > 0
        answers.push(
          share('a', ask).then((found) => expect(found.length > 0 || !isWritten).toBe(true)),
        )
        for (let n = 0; n < gap; n++) await Promise.resolve()
      }
      await Promise.all(answers)
    }),
  )
  let asked = 0
  const share = createSharedReads<number>()
  const ask = async (): Promise<readonly number[]> => {
    asked++
    await new Promise((resolve) => setTimeout(resolve, 1))
    return []
  }
  await Promise.all(Array.from({ length: 1_000 }, () => share('a', ask)))
  expect(asked).toBe(2)
})

test('a failure reaches all sharing readers, and the next request reads again', async () => {
  const share = createSharedReads<number>()
  let isBroken = true
  const ask = async (): Promise<readonly number[]> => {
    await Promise.resolve()
    if (isBroken) throw new Error('broken')
    return [1]
  }
  const outcomes = await Promise.allSettled([share('a', ask), share('a', ask), share('b', ask)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  isBroken = false
  expect(await share('a', ask)).toEqual([1])
})
