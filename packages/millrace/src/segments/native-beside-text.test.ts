import { expect, test } from 'vitest'
import { createStreamingResponseHandler, type ToolInvocation } from './index.ts'

test('a handler that parses text also reads native reasoning and calls', () => {
  const invocations: ToolInvocation[] = []
  const handler = createStreamingResponseHandler({
    formats: ['hermes'],
    onInvocation: (invocation) => invocations.push(invocation),
  })
  const events = [
    ...handler.feed({ reasoning: 'Which city?' }),
    ...handler.feed({ content: 'Two calls: <tool_call>{"name":"a","arguments":{}}</tool_call>' }),
    ...handler.feed({ tool_calls: [{ index: 0, call_id: 'c', name: 'b', arguments_delta: '{}' }] }),
    ...handler.finalize(),
  ]
  const starts = events.flatMap((event) => (event.type === 'SEGMENT_START' ? [event] : []))
  expect(starts.map(({ segment_type: type }) => type)).toEqual([
    'reasoning',
    'text',
    'tool_call',
    'tool_call',
  ])
  expect(new Set(starts.map(({ segment_id: id }) => id)).size).toBe(4)
  expect(invocations.map(({ name }) => name)).toEqual(['a', 'b'])
})

test('[SEG-4] native reasoning and complete native calls end where text continues', () => {
  const handler = createStreamingResponseHandler({ formats: ['hermes'] })
  handler.feed({ reasoning: 'Which city?' })
  const [first] = handler.feed({ content: 'Oslo. ' })
  expect(first).toMatchObject({ type: 'SEGMENT_END', segment_id: 'seg_1' })
  handler.feed({ tool_calls: [{ index: 0, call_id: 'c', name: 'b', arguments_delta: '{}' }] })
  const [next] = handler.feed({ content: 'Done.' })
  expect(next).toMatchObject({ type: 'SEGMENT_END', segment_id: 'c' })
  expect(handler.finalize()).toMatchObject([{ type: 'SEGMENT_END', segment_id: 'seg_2' }])
})
