import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockDelta,
  blockStart,
  endOf,
  messageEnd,
  messageStart,
  readEvents,
  textBlock,
  toolBlock,
} from '../../../../test/support/models/anthropic-events.ts'
import type { ContentBlock, Message, ModelRequest } from '../../../events/index.ts'
import type { JsonObject } from '../../../json/index.ts'
import { continueRequest } from './continue-request.ts'

const question: Message = { role: 'user', content: [{ type: 'text', text: 'Tell me.' }] }
const request: ModelRequest = { messages: [question], maxTokens: 100, system: 'Be kind.' }

const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const thought: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
const search = (id: string, extra: JsonObject = {}): ContentBlock => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input: {},
  ...extra,
})
const found = (tool_use_id: string): ContentBlock => ({
  type: 'web_search_tool_result',
  tool_use_id,
  content: [],
})

/** The messages after an answer that ended with these events. */
function continueAfter(events: readonly JsonObject[], from: ModelRequest = request) {
  return continueRequest(from, endOf(readEvents(events)))?.messages
}

/** An interrupted answer whose blocks were complete in the start of the message. */
function cutAfter(...content: readonly ContentBlock[]): JsonObject[] {
  return [messageStart({ content })]
}

describe('after an interruption', () => {
  test('sends the answer so far and quotes its end', () => {
    const open = [
      blockStart(1, { type: 'text', text: '' }),
      blockDelta(1, 'text_delta', { text: 'and it tur' }),
    ]
    const messages = continueAfter([messageStart(), ...textBlock(0, 'The mill stood'), ...open])
    expect(messages?.slice(0, 2)).toEqual([
      question,
      { role: 'assistant', content: [text('The mill stood'), text('and it tur')] },
    ])
    expect(messages?.[2]?.role).toBe('user')
    expect(messages?.[2]?.content[0]?.['text']).toContain('"and it tur"')
    const end = endOf(readEvents([messageStart(), ...open]))
    const continued = continueRequest(request, end, { prompt: 'Weiter.' })
    expect(continued?.messages[2]?.content).toEqual([text('Weiter.')])
    expect(continued?.system).toBe('Be kind.')
  })

  test('sends the same request if there is no content', () => {
    const open = blockStart(0, { type: 'tool_use', id: 't', name: 'f', input: {} })
    for (const events of [[], [messageStart()], [messageStart(), open]])
      expect(continueRequest(request, endOf(readEvents(events)))).toBe(request)
  })

  test('repeats the question if no content can be sent', () => {
    expect(continueAfter(cutAfter(text(' \n'), thought, search('s')))).toEqual([question])
  })

  test('answers complete calls, because they were not run', () => {
    const call = { type: 'tool_use', id: 't', name: 'click', toolset_name: 'browser', input: {} }
    const messages = continueAfter(cutAfter(thought, call))
    expect(messages?.[1]?.content).toEqual([thought, call])
    expect(messages?.[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 't', toolset_name: 'browser', is_error: true },
      { type: 'text' },
    ])
  })

  test('sends a provider call only with its result, together with nested calls', () => {
    const code = search('c', { name: 'code_execution' })
    const nested = search('n', { caller: { type: 'code_execution_20260120', tool_id: 'c' } })
    const blocks = [text('a'), search('s'), found('s'), code, nested, found('n'), text('b')]
    const kept = continueAfter(cutAfter(...blocks))?.[1]?.content
    expect(kept).toEqual([text('a'), search('s'), found('s'), text('b')])
  })

  test('keeps a pending provider call beside local calls', () => {
    const call = { type: 'tool_use', id: 't', name: 'f', input: {} }
    const start = messageStart({ content: [search('s'), call], stop_reason: 'tool_use' })
    expect(continueAfter([start])?.[1]?.content).toEqual([search('s'), call])
  })

  test('completes an earlier paused provider call with its result', () => {
    const paused = { role: 'assistant' as const, content: [search('s')] }
    const from = { ...request, messages: [question, paused] }
    const messages = continueAfter(cutAfter(found('s'), text('Found')), from)
    expect(messages?.slice(0, 2)).toEqual([
      question,
      { role: 'assistant', content: [search('s'), found('s'), text('Found')] },
    ])
    expect(continueAfter(cutAfter(text('Found')), from)?.[1]?.content).toEqual([text('Found')])
  })

  test('sends signed thinking unchanged, and not at the end', () => {
    const unsigned = { type: 'thinking', thinking: 'x', signature: '' }
    const redacted = { type: 'redacted_thinking', data: 'ZGF0YQ==' }
    expect(
      continueAfter(cutAfter(unsigned, redacted, thought, text('a'), thought))?.[1]?.content,
    ).toEqual([redacted, thought, text('a')])
  })

  test('quotes complete characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 150, maxLength: 400 }), (words) => {
        const continued = continueAfter(cutAfter(text(`${words}.`)))?.[2]?.content[0]?.['text']
        expect(String(continued)).not.toMatch(/\\ud[c-f]/i)
      }),
    )
  })
})

describe('after the provider’s end', () => {
  test.each(['end_turn', 'refusal', 'model_context_window_exceeded', 'unheard_of'])(
    'there is nothing to continue with: %s',
    (reason) => {
      expect(
        continueAfter([messageStart(), ...textBlock(0, 'a'), ...messageEnd(reason)]),
      ).toBeUndefined()
    },
  )

  test('continues an answer that reached its limit', () => {
    const messages = continueAfter([
      messageStart(),
      ...textBlock(0, 'a'),
      ...messageEnd('max_tokens'),
    ])
    expect(messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test.each(['pause_turn', 'compaction'])('content that %s left stays unchanged', (reason) => {
    const content = [text('a'), search('s')]
    const start = messageStart({ content, stop_reason: reason })
    const expected = [question, { role: 'assistant', content }]
    expect(continueAfter([start, { type: 'message_stop' }])).toEqual(expected)
    expect(continueAfter([start])).toEqual(expected)
  })
})

describe('with prefill', () => {
  const prefilled = (events: readonly JsonObject[], from = request) =>
    continueRequest(from, endOf(readEvents(events)), { prefill: true })?.messages

  test('the request ends with the answer, without trailing white space', () => {
    const messages = prefilled([messageStart(), ...textBlock(0, 'The mill \n')])
    expect(messages?.at(-1)).toEqual({ role: 'assistant', content: [text('The mill')] })
  })

  test('is not used if tools are offered or called', () => {
    const tools = [{ name: 'f', description: '', inputSchema: {} }]
    const cut = [messageStart(), ...textBlock(0, 'a')]
    expect(prefilled(cut, { ...request, tools })?.at(-1)?.role).toBe('user')
    expect(prefilled([messageStart(), ...toolBlock(0, 'f', '{}')])?.at(-1)?.role).toBe('user')
  })
})
