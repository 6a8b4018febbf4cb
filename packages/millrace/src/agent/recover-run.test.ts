import { describe, expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  confirm,
  resultsOf,
  setUpAgent,
  text,
  tool,
} from '../../test/support/agent-harness.ts'
import { chainFaults } from '../../test/support/message-chain.ts'
import { type AgentState, defineTool } from './index.ts'

describe('checkpoints', () => {
  test('stand before what they must be stored with, and survive JSON', async () => {
    const { agent } = setUpAgent([{ content: [call('t1', 'w'), call('t2', 'confirm')] }], {
      tools: [tool('w'), confirm],
    })
    const { items } = await collect(agent, { prompt: 'go' })
    const followers = items.flatMap((item, index) =>
      item.type === 'checkpoint' ? [items[index + 1]?.type] : [],
    )
    expect(followers).toEqual(['run_start', 'step_end', 'tool_result', 'tools_awaited', 'run_end'])
    for (const item of items) expect(JSON.parse(JSON.stringify(item))).toEqual(item)
  })

  test('from any of them the run goes on to the same end, and no finished step is repeated', async () => {
    const script = [
      { content: [text('a'), call('t1', 'safe'), call('t2', 'unsafe')] },
      { content: [call('t3', 'safe')] },
      { content: [text('end')] },
    ]
    const safe = defineTool({
      name: 'safe',
      description: '',
      input: anything,
      run: () => 'ok',
      idempotent: true,
    })
    const tools = [safe, tool('unsafe')]
    const { states } = await collect(setUpAgent(script, { tools }).agent, { prompt: 'go' })
    expect(states).toHaveLength(8)
    for (const state of states) {
      const { agent, model } = setUpAgent(script.slice(state.steps), { tools })
      const recovered = await collect(agent, {
        state: JSON.parse(JSON.stringify(state)) as AgentState,
      })
      expect(recovered.end).toMatchObject({ type: 'run_end', stopReason: 'end_turn', steps: 3 })
      expect(model.requests).toHaveLength(3 - state.steps)
      expect(chainFaults(recovered.state.messages)).toEqual([])
      const told = (state.turn?.results ?? []).map((block) => block['tool_use_id'])
      expect(resultsOf(recovered.events).filter(({ id }) => told.includes(id))).toEqual([])
      const ranAgain = resultsOf(recovered.events).some(
        ({ id, isError }) => id === 't2' && !isError,
      )
      expect(ranAgain).toBe(state.steps === 0)
    }
  })
})
