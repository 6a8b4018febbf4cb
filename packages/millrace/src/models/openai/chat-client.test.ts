import { afterEach, expect, test, vi } from 'vitest'
import { endOf } from '../../../test/support/models/anthropic-events.ts'
import type { ModelEvent } from '../../events/index.ts'

afterEach(() => {
  vi.doUnmock('openai')
  vi.resetModules()
})

test('a missing package gives one clear failure with its name', async () => {
  vi.doMock('openai', () => {
    throw new Error('Cannot find package')
  })
  const { openai } = await import('./openai.ts')
  const events: ModelEvent[] = []
  const request = { messages: [], maxTokens: 9 }
  for await (const event of openai('m', { apiKey: 'k' }).stream(request)) events.push(event)
  expect(events).toHaveLength(1)
  expect(endOf(events)).toMatchObject({
    outcome: 'failed',
    retry: 'none',
    failure: { type: 'unsupported', message: expect.stringContaining('npm install openai') },
  })
})
