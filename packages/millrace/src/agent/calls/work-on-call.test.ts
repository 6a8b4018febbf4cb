import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  resultsOf,
  setUpAgent,
  stagesOf,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { chainFaults } from '../../../test/support/models/message-chain.ts'
import { defineFrontendTool, defineTool } from '../../tools/define-tool.ts'

describe('a call', () => {
  test('has the id that the model assigned from start to result', async () => {
    const { agent } = setUpAgent([{ content: [call('t1', 'w'), call('t2', 'ghost')] }], {
      tools: [tool('w')],
    })
    const { events } = await collect(agent, { agent: 'a1', prompt: 'go' })
    const ofFirst = events.filter((event) => 'callId' in event && event.callId === 't1')
    expect(ofFirst.map((event) => ('stage' in event ? event.stage : event.type))).toEqual([
      'started',
      'succeeded',
      'tool_result',
    ])
    expect(ofFirst.every(({ agent: whose }) => whose === 'a1')).toBe(true)
    expect(stagesOf(events, 't2')).toEqual(['failed'])
  })

  test('has bounded progress: the latest counts, long texts are truncated, and none follows the end', async () => {
    let late = () => {}
    const chatty = defineTool({
      name: 'chatty',
      description: '',
      input: anything,
      run: async (_input, { progress }) => {
        progress('one')
        progress('two')
        await new Promise((resolve) => setTimeout(resolve))
        for (let step = 0; step < 1000; step++) progress(`step ${step}`)
        await new Promise((resolve) => setTimeout(resolve))
        progress('😀'.repeat(400))
        late = () => progress('too late')
        return 'ok'
      },
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'chatty')] }], { tools: [chatty] })
    const { events } = await collect(agent, { prompt: 'go' }, ({ type }) => {
      if (type === 'tool_result') late()
    })
    const reports = events.flatMap((event) =>
      event.type === 'tool_status' && event.stage === 'progress' ? [event.detail ?? ''] : [],
    )
    expect(reports.slice(0, 2)).toEqual(['two', 'step 999'])
    expect(reports).toHaveLength(3)
    expect(reports[2]?.length).toBeLessThanOrEqual(500)
    expect(reports[2]).toMatch(/^(😀)+…$/u)
  })

  test('may have an answer with images and documents', async () => {
    const image = { data: 'AA', mediaType: 'image/png' }
    const rich = tool('rich', () => ({
      text: 'see',
      images: [image],
      documents: [
        { data: 'JVBERg==', mediaType: 'application/pdf', title: 'Report' },
        { text: 'plain', title: 'Notes' },
      ],
    }))
    const { agent, model } = setUpAgent([{ content: [call('t1', 'rich')] }], { tools: [rich] })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(resultsOf(events)).toMatchObject([
      { text: 'see', images: [{ src: 'data:image/png;base64,AA', mediaType: 'image/png' }] },
    ])
    expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
      {
        content: [
          { type: 'text' },
          { type: 'image' },
          { type: 'document', title: 'Report' },
          { type: 'document', title: 'Notes' },
        ],
      },
    ])
  })

  test('does not delay a stopped run if its rule, check or tool never settles', async () => {
    const never = () => new Promise<never>(() => {})
    const hang = { description: '', input: anything }
    const silent = { '~standard': { version: 1, vendor: 'x', validate: never } } as const
    const tools = [
      defineTool({ ...hang, name: 'ruled', needsApproval: never, run: never }),
      defineTool({ ...hang, name: 'deaf', run: never }),
      defineFrontendTool({ ...hang, name: 'checked', input: silent, inputSchema: anything }),
    ]
    const calls = tools.map(({ schema }, index) => call(`t${index}`, schema.name))
    const { agent } = setUpAgent([{ content: calls }], { tools })
    const controller = new AbortController()
    const { end, events, state } = await collect(
      agent,
      { prompt: 'go' },
      ({ type }) => type === 'tool_status' && controller.abort(),
      controller.signal,
    )
    expect(end).toMatchObject({ stopReason: 'aborted' })
    expect(resultsOf(events).map(({ isError }) => isError)).toEqual([true, true, true])
    expect(chainFaults(state.messages)).toEqual([])
  })

  test('is not affected by a listener that throws', async () => {
    const deaf = () => {
      throw new Error('no ears')
    }
    const bad = tool('bad', () => {
      throw new Error('boom')
    })
    const { agent } = setUpAgent([{ content: [call('t1', 'bad')] }], {
      tools: [bad],
      onError: deaf,
      onNotice: deaf,
    })
    const { end } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'end_turn' })
  })
})
