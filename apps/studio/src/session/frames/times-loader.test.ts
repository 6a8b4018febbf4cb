import { createTranscript } from 'millrace'
import { expect, test } from 'vitest'
import type { StoredTimes } from './frame-log.ts'
import { createTimesLoader } from './times-loader.ts'
import { createFrameReducer } from 'millrace/testing'

test('requests new times once the run is over, and no run twice', async () => {
  const asked: string[] = []
  const set: [StoredTimes, number | undefined][] = []
  let transcript = createTranscript()
  const reduce = createFrameReducer()
  const take = (id: number, type: string, delta: string) => {
    transcript = reduce(transcript, { type, agent: 'a', final: true, delta }, id)
  }
  const fetch = (url: string) => {
    asked.push(url.split('?')[1] ?? '')
    return Promise.resolve(Response.json({ times: [[asked.length, 7]] }))
  }
  const connection = { state: 'idle', attempt: 0 } as const
  const session = {
    id: 's',
    options: { url: '', fetch },
    getSnapshot: () => ({ transcript, connection, prompt: undefined, answers: {} }),
  }
  const frames = { setTimes: (times: StoredTimes, lastId?: number) => set.push([times, lastId]) }
  const loader = createTimesLoader({ session, frames, clock: undefined })
  await loader.load()
  expect(asked).toEqual([])
  const end = '{"stop_reason":"end_turn"}'
  take(1, 'meta_init', '{}')
  take(2, 'meta_end', end)
  await loader.settle()
  take(3, 'meta_init', '{}')
  take(4, 'meta_end', '{"stop_reason":"awaiting_frontend_tools"}')
  take(5, 'awaiting_frontend_tools', '[{"tool_use_id":"t","name":"n","input":{}}]')
  await loader.settle()
  take(6, 'meta_end', end)
  await loader.settle()
  expect(asked).toEqual(['limit=100', 'limit=1', 'limit=1'])
  expect(set.map(([, lastId]) => lastId)).toEqual([2, 5, 6])
})
