import fc from 'fast-check'
import { createTranscript, rootAgent } from 'millrace'
import type { AgentNode } from 'millrace'
import { expect, test } from 'vitest'
import { createRowPlan } from './row-plan.ts'
import type { Row } from './row-plan.ts'
import { createFrameReducer } from 'millrace/testing'

type Act = 'run' | 'text' | 'thinking' | 'call' | 'step' | 'rollback' | 'end'

function linesOf(act: Act, number: number): readonly object[] {
  const json = (type: string, value: object) => [{ type, delta: JSON.stringify(value) }]
  const lines: Readonly<Record<Act, readonly object[]>> = {
    run: json('meta_init', { user_query: `Question ${number}` }),
    text: [
      { type: 'text', final: false, delta: 'words' },
      { type: 'text', delta: '' },
    ],
    thinking: [{ type: 'thinking', delta: 'hm' }],
    call: [{ type: 'tool_call', id: `call_${number}`, name: 'look', delta: '{}' }],
    step: json('meta_step', { step: number }),
    rollback: json('rollback', { step: number }),
    end: json('meta_end', { stop_reason: 'end_turn' }),
  }
  return lines[act]
}

/** Returns all states of an agent. */
function statesOf(acts: readonly Act[]): readonly AgentNode[] {
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let id = 0
  const states: AgentNode[] = []
  for (const [number, act] of (['run', ...acts] as const).entries()) {
    for (const line of linesOf(act, number)) {
      const whole = { agent: 'a', final: true, ...line }
      transcript = reduce(transcript, JSON.stringify(whole), ++id)
    }
    const node = rootAgent(transcript)
    if (node) states.push(node)
  }
  return states
}

const act = fc.constantFrom<Act>('run', 'text', 'thinking', 'call', 'step', 'rollback', 'end')
const shape = (rows: readonly Row[]) =>
  rows.map(({ kind, key, above, at, to }) => [kind, key, above, at, to])

test('an updated plan equals a new plan, forwards and backwards in time', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), fc.array(fc.nat(30)), (acts, jumps) => {
      const states = statesOf(acts)
      const plan = createRowPlan()
      const visited = [...states.keys(), ...jumps.map((jump) => jump % states.length)]
      for (const index of visited) {
        const node = states[index]
        if (!node) continue
        expect(shape(plan.update(node))).toEqual(shape(createRowPlan().update(node)))
      }
    }),
  )
})

test('adjacent texts are one row, and a step has a row if another step follows', () => {
  const states = statesOf(['text', 'text', 'call', 'step', 'text', 'step', 'end', 'run', 'text'])
  const rows = createRowPlan().update(states.at(-1) as AgentNode)
  expect(rows.map(({ kind }) => kind)).toEqual([
    'prompt',
    'text',
    'card',
    'step',
    'text',
    'end',
    'prompt',
    'text',
    'end',
  ])
  expect(rows.map(({ key }) => key)).toHaveLength(new Set(rows.map(({ key }) => key)).size)
})
