import { expect, test } from 'vitest'
import { paceFrames } from './pace.ts'
import { createRandom } from './random.ts'

test('a pace without jitter has equal gaps, and a stream without a pace never waits', async () => {
  const stopping = new AbortController()
  const frames = [
    { frame: 'a', tokens: 1 },
    { frame: 'b', tokens: 1 },
  ]
  const pace = { tokensPerSecond: 1 / 3_600, firstTokenMs: 0 }
  const paced = paceFrames(frames, { pace, random: createRandom('any'), signal: stopping.signal })
  expect(await paced.next()).toEqual({ done: false, value: 'a' })
  const rest = paced.next()
  stopping.abort()
  expect(await rest).toEqual({ done: true, value: undefined })
})

test('a pace that does not catch up sends each frame separately, with any delay', async () => {
  const frames = Array.from({ length: 5 }, (_, index) => ({ frame: `${index} `, tokens: 1 }))
  const collect = async (catchUp: boolean): Promise<string[]> => {
    const pace = { tokensPerSecond: 1_000_000, firstTokenMs: 0, catchUp }
    const signal = new AbortController().signal
    const pieces: string[] = []
    for await (const piece of paceFrames(frames, { pace, random: createRandom('any'), signal })) {
      pieces.push(piece)
    }
    return pieces
  }
  expect(await collect(false)).toEqual(['0 ', '1 ', '2 ', '3 ', '4 '])
  expect((await collect(true)).join('')).toBe('0 1 2 3 4 ')
})
