import { Agent, run, RunState, setTracingDisabled, tool } from '@openai/agents'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openModel } from '../../../../test/support/foreign/scripted-openai.ts'
import {
  eventsIn,
  openServer,
  said,
  session,
} from '../../../../test/support/foreign/foreign-server.ts'
import { createMemoryStore } from '../../../stores/memory/index.ts'
import type { Agent as ServerAgent } from '../../port/index.ts'
import { fromOpenAiAgents, type OpenAiRunResult } from './from-openai-agents.ts'
import type { OpenAiItem } from './input-item.ts'

setTracingDisabled(true)

const guarded = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ euros: z.number() }),
  needsApproval: true,
  execute: ({ euros }) => `paid ${euros}`,
})

const look = tool({
  name: 'look',
  description: 'Looks.',
  parameters: z.object({ at: z.string() }),
  execute: ({ at }) => `saw ${at}`,
})

const pays = (id: string, euros: number) => ({ id, name: 'pay', arguments: `{"euros":${euros}}` })

/** A server with an agent of the SDK, whose model gives one answer after the other. */
function openPayer(answers: Parameters<typeof openModel>[0], { maxTurns = 10 } = {}) {
  const { model, requests } = openModel(answers)
  const payer = new Agent({ name: 'payer', model, tools: [guarded, look] })
  const store = createMemoryStore()
  const agent = fromOpenAiAgents({
    name: 'payer',
    restore: (state) => RunState.fromString(payer, state),
    run: ({ input, signal }) => run(payer, input, { stream: true, signal, maxTurns }),
  })
  return { requests, store, ...openServer(agent, store) }
}

const resultsIn = async (store: Parameters<typeof eventsIn>[0]) =>
  (await eventsIn(store)).flatMap((event) =>
    event.type === 'tool_result' ? [[event.callId, event.text, event.isError]] : [],
  )

describe('an agent of the OpenAI Agents SDK', () => {
  test('runs the tools of a step, and waits for the others', async () => {
    const { ask, decide, view, store, handler } = openPayer([
      { calls: [{ id: 'a', name: 'look', arguments: '{"at":"rye"}' }, pays('b', 1), pays('c', 2)] },
      { text: 'Done.' },
    ])
    await ask('go')
    expect(await resultsIn(store)).toEqual([['a', 'saw rye', false]])
    expect((await view()).pending_approvals).toHaveLength(2)
    await decide('b', { decision: 'approve', input: { euros: 5 } })
    expect(said(await decide('c', { decision: 'refuse', reason: 'too dear' }))).toContain('Done.')
    expect((await resultsIn(store)).slice(1)).toEqual([
      ['b', 'paid 5', false],
      ['c', expect.stringContaining('too dear'), true],
    ])
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    await handler.close()
  })

  test('gets ids of calls that the session has not seen', async () => {
    const { ask, decide, store, requests, handler } = openPayer([
      { calls: [pays('a', 1)] },
      { text: 'One.' },
      { calls: [pays('a', 2)] },
      { text: 'Two.' },
      { text: 'Three.' },
    ])
    await ask('go')
    await decide('a', { decision: 'approve' })
    await ask('again')
    expect(said(await decide('a_2', { decision: 'approve' }))).toContain('Two.')
    await ask('and again')
    expect(await resultsIn(store)).toEqual([
      ['a', 'paid 1', false],
      ['a_2', 'paid 2', false],
    ])
    const sent = JSON.stringify(requests.at(-1))
    expect(sent.match(/"tool_call_id":"a"/g)).toHaveLength(1)
    expect(sent.match(/"tool_call_id":"a_2"/g)).toHaveLength(1)
    await handler.close()
  })

  test('gives a call without a decision an error when the user writes something else', async () => {
    const { ask, requests, handler } = openPayer([{ calls: [pays('a', 1)] }, { text: 'Well.' }])
    await ask('go')
    expect(said(await ask('never mind'))).toContain('Well.')
    expect(requests.at(-1)).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'a' }] },
        { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('did not answer') },
        { role: 'user' },
      ],
    })
    await handler.close()
  })

  test('ends with `max_steps` at the limit of its turns', async () => {
    const look = { id: 'a', name: 'look', arguments: '{"at":"rye"}' }
    const { ask, view, handler } = openPayer([{ calls: [look] }, { text: 'Yes.' }], { maxTurns: 1 })
    await ask('go')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'max_steps' })
    expect(said(await ask('continue'))).toBe('Yes.')
    await handler.close()
  })

  test('gets files of a prompt, also in later runs', async () => {
    const inputs: (readonly OpenAiItem[])[] = []
    const result: OpenAiRunResult = Object.assign(
      (async function* () {
        yield {
          type: 'raw_model_stream_event',
          data: { type: 'output_text_delta', delta: 'Nice.' },
        }
      })(),
      { output: [], state: { toString: () => '{}' } },
    )
    const { post, ask, handler } = openServer(
      fromOpenAiAgents({ name: 'eye', run: ({ input }) => (inputs.push(input), result) }),
    )
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    await (await post('run', { agent_uuid: session, user_prompt: [image] })).text()
    await ask('again')
    for (const items of inputs)
      expect(items[0]).toEqual({
        role: 'user',
        content: [{ type: 'input_image', image: `data:image/png;base64,${data}` }],
      })
    await handler.close()
  })

  test('shows an agent that is used as a tool as a call, and passes its approvals on', async () => {
    const { model } = openModel([
      { calls: [{ id: 'outer', name: 'delegate', arguments: '{"input":"pay"}' }] },
      { calls: [pays('inner', 4)] },
      { text: 'Inner done.' },
      { text: 'Outer done.' },
    ])
    const clerk = new Agent({ name: 'clerk', model, tools: [guarded] })
    const delegate = clerk.asTool({ toolName: 'delegate', toolDescription: 'Delegates.' })
    const boss = new Agent({ name: 'boss', model, tools: [delegate] })
    const agent: ServerAgent = fromOpenAiAgents({
      name: 'boss',
      restore: (state) => RunState.fromString(boss, state),
      run: ({ input, signal }) => run(boss, input, { stream: true, signal }),
    })
    const { ask, view, decide, handler } = openServer(agent)
    await ask('go')
    expect((await view()).pending_approvals).toMatchObject([{ name: 'pay', input: { euros: 4 } }])
    expect(said(await decide('inner', { decision: 'approve' }))).toContain('Outer done.')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
    await handler.close()
  })

  test('without `restore` fails where it waits, with an error that names the option', async () => {
    const { model } = openModel([{ calls: [pays('a', 1)] }])
    const payer = new Agent({ name: 'payer', model, tools: [guarded] })
    const { ask, view, handler } = openServer(
      fromOpenAiAgents({
        name: 'payer',
        run: ({ input, signal }) => run(payer, input, { stream: true, signal }),
      }),
    )
    expect(await ask('go')).toContain('RunState.fromString(agent, state)')
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'error' })
    await handler.close()
  })
})
