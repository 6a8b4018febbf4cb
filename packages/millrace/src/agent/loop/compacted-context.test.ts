import { describe, expect, test } from 'vitest'
import {
  call,
  collect,
  collectRun,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import { type Compactor, estimateTokens } from '../compaction/index.ts'
import { checkChain } from '../compaction/chain/check-chain.ts'
import { slidingWindow } from '../compaction/sliding-window.ts'
import type { AgentState } from '../state/agent-state.ts'

const full = {
  outcome: 'failed' as const,
  failure: {
    type: 'invalid_request_error',
    message: 'prompt is too long: 9 > 8',
    retriable: false,
  },
}
const long = 'words '.repeat(4000)
const twoLong = [{ content: [call('t1', 'long')] }, { content: [call('t2', 'long')] }]

describe('a conversation that does not fit the model', () => {
  test('is compacted and sent once more without an error event; the stored conversation is unchanged', async () => {
    const { agent, model, waits } = setUpAgent([...twoLong, full, { content: [text('short')] }], {
      tools: [tool('long', () => long)],
    })
    const { events, state, end } = await collect(agent, { prompt: 'go' })
    const compacted = events.filter((event) => event.type === 'compaction')
    expect(compacted).toMatchObject([{ strategy: 'sliding_window' }])
    expect(waits).toEqual([])
    const [before, after] = model.requests.slice(2).map(({ messages }) => estimateTokens(messages))
    expect(after).toBeLessThan((before ?? 0) * 0.6)
    expect(checkChain(model.requests[3]?.messages ?? [])).toEqual([])
    expect(JSON.stringify(state.messages)).toContain(long)
    expect(end).toMatchObject({ stopReason: 'end_turn', usage: { input_tokens: 40 } })
  })

  test('that cannot be compacted ends the run with the error of the provider', async () => {
    const { agent, model } = setUpAgent([full], { compactor: 'none' })
    const { events } = await collect(agent, { prompt: 'go' })
    expect(events.at(-2)).toMatchObject({
      type: 'error',
      kind: 'invalid_request_error',
    })
    expect(model.requests).toHaveLength(1)
  })

  test('is compacted only once', async () => {
    const { agent, model } = setUpAgent([...twoLong, full, full, full], {
      tools: [tool('long', () => long)],
    })
    const { end } = await collect(agent, { prompt: 'go' })
    expect(end).toMatchObject({ stopReason: 'error' })
    expect(model.requests).toHaveLength(4)
  })

  test('is compacted for the final answer of a run too', async () => {
    const { agent, model } = setUpAgent([...twoLong, full, { content: [text('in short')] }], {
      tools: [tool('long', () => long)],
      maxSteps: 2,
    })
    const result = await agent.run({ prompt: 'go' }).result()
    expect(result).toMatchObject({ stopReason: 'max_steps', finalAnswer: 'in short', steps: 2 })
    expect(model.requests[3]).toMatchObject({ toolChoice: 'none' })
  })
})

describe('the summary of the beginning', () => {
  const window = slidingWindow({ maxTokens: 300, keepLast: 2, oldResultChars: 20, recentTurns: 1 })
  const replies = Array.from({ length: 6 }, (_, index) => ({
    content: [text(`step ${index}`), call(`t${index}`, 'long')],
  }))

  test('grows with later messages, across checkpoints, process restarts and pauses', async () => {
    const { agent, model } = setUpAgent(replies, {
      tools: [tool('long', () => 'data '.repeat(200))],
      compactor: window,
    })
    const run = agent.run({ prompt: 'go' })
    const { states, types } = await collectRun(run, (item) => {
      if (item.type === 'compaction') run.steer('and be brief')
    })
    expect(types).toContain('compaction')
    for (const { messages } of model.requests) expect(checkChain(messages)).toEqual([])
    const lastWords = model.requests.map(({ messages }) => messages.at(-1)?.content.at(-1))
    expect(lastWords.filter((block) => block?.['text'] === 'and be brief')).toHaveLength(
      types.filter((type) => type === 'user_message').length,
    )
    for (const state of states) {
      const { agent: other, model: later } = setUpAgent([], {
        tools: [tool('long', () => 'x')],
        compactor: 'none',
      })
      const stored = JSON.parse(JSON.stringify(state)) as AgentState
      await collect(other, { state: stored, prompt: 'next' })
      for (const { messages } of later.requests) expect(checkChain(messages)).toEqual([])
    }
  })

  test('may be any result of a custom compactor', async () => {
    const odd: Compactor[] = [
      { name: 'last', compact: ({ messages }) => messages.slice(-1) },
      { name: 'none', compact: () => [] },
      { name: 'words', compact: () => [{ role: 'user', content: [text('all so far')] }] },
      {
        name: 'answer',
        compact: ({ messages }) => [
          ...messages.slice(0, 1),
          { role: 'assistant', content: [text('so far')] },
        ],
      },
      {
        name: 'broken',
        compact: () => {
          throw new Error('no')
        },
      },
    ]
    for (const compactor of odd) {
      const { agent, model } = setUpAgent(replies, { tools: [tool('long')], compactor })
      const { end, events } = await collect(agent, { prompt: 'go' })
      expect(end).toMatchObject({ stopReason: 'end_turn' })
      expect(resultsOf(events)).toHaveLength(6)
      for (const { messages } of model.requests) {
        expect(checkChain(messages)).toEqual([])
        expect(messages.at(-1)?.role).toBe('user')
      }
    }
  })

  test('a compactor that never settles does not delay a stopped run', async () => {
    const { agent } = setUpAgent([], {
      compactor: { name: 'x', compact: () => new Promise(() => {}) },
    })
    const run = agent.run({ prompt: 'go' })
    setTimeout(() => run.stop())
    expect(await run.result()).toMatchObject({ stopReason: 'aborted' })
  })
})

test('a listener that throws when a summary fails does not fail the run', async () => {
  const { agent } = setUpAgent([...twoLong, full, { outcome: 'interrupted' }, {}], {
    tools: [tool('long', () => long)],
    compactor: 'summarizing',
    onError: () => {
      throw new Error('log is full')
    },
  })
  const { end } = await collect(agent, { prompt: 'go' })
  expect(end).toMatchObject({ stopReason: 'end_turn' })
})
