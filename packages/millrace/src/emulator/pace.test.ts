import { expect, test } from 'vitest'
import { paceFrames } from './pace.ts'
import { createRandom } from './random.ts'

test('a pace without jitter is a metronome, and no stream without a pace', async () => {
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
