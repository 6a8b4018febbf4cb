import { expect, test } from 'vitest'
import { noTelemetry, streamWithin, type WorkSpan } from './index.ts'

function watchedSpan() {
  let current = false
  const silent = noTelemetry.startRun({ agent: 'a', runId: 'r', model: 'm' })
  const span: WorkSpan = {
    ...silent,
    run: (work) => {
      current = true
      try {
        return work()
      } finally {
        current = false
      }
    },
  }
  return { span, isCurrent: () => current }
}

test('the span is active during every step of the source and its end, and not in the consumer', async () => {
  const { span, isCurrent } = watchedSpan()
  const seen: boolean[] = []
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        seen.push(isCurrent())
        return Promise.resolve({ done: false, value: seen.length })
      },
      return: () => {
        seen.push(isCurrent())
        return Promise.resolve({ done: true, value: 0 })
      },
    }),
  }
  for await (const count of streamWithin(span, () => source)) {
    expect(isCurrent()).toBe(false)
    if (count === 3) break
  }
  expect(seen).toEqual([true, true, true, true])
})

test('a source that fails or ends is not closed again', async () => {
  const { span } = watchedSpan()
  let returns = 0
  async function* numbers() {
    try {
      yield 1
      throw new Error('torn')
    } finally {
      returns++
    }
  }
  const read: number[] = []
  const reading = async () => {
    for await (const number of streamWithin(span, numbers)) read.push(number)
  }
  await expect(reading()).rejects.toThrow('torn')
  expect(read).toEqual([1])
  expect(returns).toBe(1)
})
