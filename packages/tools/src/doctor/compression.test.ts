import { expect, test } from 'vitest'
import { createExamination } from './examination.ts'
import type { Greeting, Probe } from './probe.ts'
import { createVisit } from './visit.ts'
import { compression } from './checks.ts'

const greeting: Greeting = {
  headers: [],
  forwarded: [],
  heartbeatMs: 15_000,
  timeMs: 0,
  version: undefined,
  arrivedMs: 1,
}

/** A stream of which some frames arrived, each with a delay. */
function toProbe(count: number, lateMs: number, end: Probe['end'], encoding = 'br'): Probe {
  const frames = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    elapsedMs: index * 250,
    arrivedMs: index * 250 + (index % 2 === 0 ? 0 : lateMs),
  }))
  return {
    status: 200,
    headers: encoding === '' ? {} : { 'content-encoding': encoding },
    startedAtMs: 0,
    headersMs: 1,
    greeting,
    frames,
    commentsMs: [],
    chunks: [],
    text: '',
    end,
    endedMs: 3_000,
  }
}

function judge(probed: Probe) {
  const { signal } = new AbortController()
  const visit = createVisit({ url: new URL('http://127.0.0.1:1/'), signal })
  return compression.run(
    createExamination({ ...visit, probe: async () => probed }, probed, greeting),
  )
}

test.each([
  ['a stream that is not compressed', toProbe(12, 0, 'done', ''), 'ok', /not compressed/],
  ['one that is, in time', toProbe(12, 0, 'done'), 'note', /arrived in time/],
  ['one that is, late', toProbe(12, 900, 'done'), 'problem', /900 ms late/],
  ['one of which nothing could be read', toProbe(0, 0, 'cut'), 'problem', /0 of 12 frames/],
] as const)('%s', async (_, probed, severity, seen) => {
  expect(await judge(probed)).toMatchObject({ severity, seen: expect.stringMatching(seen) })
})
