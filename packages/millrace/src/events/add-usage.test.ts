import { expect, test } from 'vitest'
import { addUsage } from './usage.ts'
import { noUsage } from './message.ts'

test('adds numbers at any depth, keeps the latest strings, ignores null and lists', () => {
  const first = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 7,
    server_tool_use: { web_search_requests: 1 },
    service_tier: 'standard',
    iterations: [{ type: 'message' }],
  }
  const second = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: null,
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 3 },
    service_tier: 'priority',
  } as never
  expect(addUsage(addUsage(noUsage, first), second)).toEqual({
    input_tokens: 11,
    output_tokens: 7,
    cache_read_input_tokens: 7,
    server_tool_use: { web_search_requests: 3, web_fetch_requests: 3 },
    service_tier: 'priority',
  })
})
