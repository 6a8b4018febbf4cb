import { describe, expect, test } from 'vitest'
import {
  eventsIn,
  openServer,
  runLater,
  said,
  session,
} from '../../../../test/support/foreign/foreign-server.ts'
import { createMemoryStore } from '../../../stores/memory/index.ts'
import { fromAiSdk, type AiSdkInput } from './from-ai-sdk.ts'
import type { AiSdkPart } from './read-parts.ts'

interface Reply {
  readonly parts: readonly (AiSdkPart & Readonly<Record<string, unknown>>)[]
  readonly messages?: readonly object[]
}

/** A server whose loop answers with the parts of one reply after the other. */
function openLoop(replies: readonly Reply[], delayMs = () => 0) {
  const inputs: AiSdkInput[] = []
  const store = createMemoryStore()
  const agent = fromAiSdk({
    name: 'loop',
    run: (input) => {
      const { parts, messages = [] } = replies[inputs.push(input) - 1] ?? { parts: [] }
      return {
        fullStream: new ReadableStream<AiSdkPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.close()
          },
        }) as ReadableStream<AiSdkPart> & AsyncIterable<AiSdkPart>,
        response: Promise.resolve({ messages }),
      }
    },
  })
  const server = openServer(runLater(agent, delayMs), store, { approvalTtlMs: 60_000 })
  return { inputs, store, ...server }
}

const call = (toolCallId: string) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'look',
  input: { id: toolCallId },
})
const result = (toolCallId: string) => ({ type: 'tool-result', toolCallId, output: toolCallId })
const step = (finishReason: string) => ({
  type: 'finish-step',
  finishReason,
  usage: { inputTokens: 10, outputTokens: 2, inputTokenDetails: { cacheReadTokens: 4 } },
})
const finish = (finishReason: string) => ({ type: 'finish', finishReason })
const text = (words: string) => ({ type: 'text-delta', id: 't', text: words })

describe('a stream of the AI SDK', () => {
  test('may have results while the arguments of another call are incomplete', async () => {
    const parts = [
      call('a'),
      { type: 'tool-input-start', id: 'b', toolName: 'look' },
      { type: 'tool-input-delta', id: 'b', delta: '{"id":' },
      { ...result('a'), output: 'half of a', preliminary: true },
      result('a'),
      { type: 'tool-input-delta', id: 'b', delta: '"b"}' },
      call('b'),
      result('b'),
      step('tool-calls'),
      text('Both.'),
      step('stop'),
      finish('stop'),
    ]
    const { ask, store, view, handler } = openLoop([{ parts }])
    expect(said(await ask('go'))).toBe('abBoth.')
    const types = (await eventsIn(store)).flatMap((event) =>
      event.type === 'tool_call' ? (event.end ? [event.callId] : []) : [event.type],
    )
    expect(types.slice(1, 7)).toEqual([
      'a',
      'b',
      'step_end',
      'tool_status',
      'tool_result',
      'tool_result',
    ])
    expect(await view('/conversations')).toMatchObject({
      conversations: [
        {
          usage: { input_tokens: 12, output_tokens: 4, cache_read_input_tokens: 8 },
          messages: [
            {},
            { content: [{ id: 'a' }, { id: 'b', input: { id: 'b' } }] },
            { content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] },
            {},
          ],
        },
      ],
    })
    await handler.close()
  })

  test('returns its own messages with the next prompt, under the ids that were shown', async () => {
    const turn = (id: string): Reply => ({
      parts: [call(id), result(id), step('tool-calls'), text('Yes.'), step('stop'), finish('stop')],
      messages: [
        { role: 'assistant', content: [{ ...call(id), providerOptions: { own: { key: 1 } } }] },
        { role: 'tool', content: [{ ...result(id), toolName: 'look' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
      ],
    })
    const { ask, inputs, handler } = openLoop([turn('c1'), turn('c1'), turn('c3')])
    for (const prompt of ['one', 'two', 'three']) await ask(prompt)
    expect(inputs[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    const shown = JSON.stringify(inputs[2]?.messages)
    expect(shown.match(/"toolCallId":"c1"/g)).toHaveLength(2)
    expect(shown.match(/"toolCallId":"c2"/g)).toHaveLength(2)
    expect(shown.match(/"key":1/g)).toHaveLength(2)
    await handler.close()
  })

  test('ends with `max_steps` if it stops although the model wants to see results', async () => {
    const parts = [call('a'), result('a'), step('tool-calls'), finish('tool-calls')]
    const { ask, view, handler, inputs } = openLoop([
      { parts, messages: [{ role: 'assistant', content: [call('a')] }] },
      { parts: [text('Yes.'), step('stop'), finish('stop')] },
    ])
    await ask('go')
    expect(await view()).toMatchObject({ stop_reason: 'max_steps' })
    expect(said(await ask('continue'))).toBe('Yes.')
    expect(inputs[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    await handler.close()
  })

  test('gets files of a prompt, also in later runs', async () => {
    const reply = { parts: [text('Nice.'), step('stop'), finish('stop')] }
    const { post, ask, inputs, handler } = openLoop([reply, reply])
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const prompt = [{ type: 'text', text: 'Look:' }, image]
    await (await post('run', { agent_uuid: session, user_prompt: prompt })).text()
    await ask('again')
    const file = { type: 'file', data, mediaType: 'image/png' }
    for (const { messages } of inputs)
      expect(messages[0]).toEqual({
        role: 'user',
        content: [{ type: 'text', text: 'Look:' }, file],
      })
    await handler.close()
  })

  test('denies a call itself whose approval is too late [APR-4]', async () => {
    const request = {
      type: 'tool-approval-request',
      approvalId: 'r',
      toolCallId: 'a',
    }
    const parts = [call('a'), { ...request, toolCall: call('a') }, finish('tool-calls')]
    const messages = [{ role: 'assistant', content: [call('a'), request] }]
    const denied = [{ type: 'tool-output-denied', toolCallId: 'a' }, text('Well.'), finish('stop')]
    let delayMs = 0
    const server = openLoop([{ parts, messages }, { parts: denied }], () => delayMs)
    await server.ask('go')
    delayMs = 600_000
    expect(said(await server.decide('a', { decision: 'approve' }))).toContain('Well.')
    expect(server.inputs[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'r', approved: false }],
    })
    expect(await server.view()).toMatchObject({ stop_reason: 'end_turn' })
    await server.handler.close()
  })

  test('with an error part ends the run with its message', async () => {
    const error = Object.assign(new Error('No such model.'), { name: 'AI_APICallError' })
    const { ask, handler } = openLoop([{ parts: [text('Let'), { type: 'error', error }] }])
    const shown = await ask('go')
    expect(shown).toContain('No such model.')
    expect(shown).toContain('AI_APICallError')
    await handler.close()
  })
})
