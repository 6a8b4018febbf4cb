import { afterEach, expect, test, vi } from 'vitest'
import { endOf } from '../../../test/support/models/anthropic-events.ts'
import type { ModelEvent } from '../../events/index.ts'

afterEach(() => {
  vi.doUnmock('@anthropic-ai/sdk')
  vi.resetModules()
})

test('a missing package gives one clear failure with its name', async () => {
  vi.doMock('@anthropic-ai/sdk', () => {
    throw new Error('Cannot find package')
  })
  const { anthropic } = await import('./anthropic.ts')
  const events: ModelEvent[] = []
  const request = { messages: [], maxTokens: 9 }
  for await (const event of anthropic('m', { apiKey: 'k' }).stream(request)) events.push(event)
  expect(events).toHaveLength(1)
  expect(endOf(events)).toMatchObject({
    outcome: 'failed',
    retry: 'none',
    failure: {
      type: 'unsupported',
      message: expect.stringContaining('npm install @anthropic-ai/sdk'),
    },
  })
})
