import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentState } from '../agent/index.ts'
import type { ContentBlock, Message } from '../events/index.ts'
import type { JsonValue } from '../json/index.ts'
import { encodeState } from './encode-state.ts'

const block = fc
  .dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>)
  .map((fields): ContentBlock => ({ ...fields, type: 'text' }))
const blocks = fc.array(block, { maxLength: 4 })
const message = fc.record<Message>({ role: fc.constantFrom('user', 'assistant'), content: blocks })
const calls = fc.array(fc.record({ id: fc.string(), name: fc.string(), inputText: fc.string() }))

const messages = fc.array(message, { maxLength: 4 })
const { tree: anyState } = fc.letrec<{ tree: AgentState }>((tie) => ({
  tree: fc.record<AgentState>(
    {
      agent: fc.string(),
      name: fc.string(),
      messages,
      runId: fc.string(),
      runStart: fc.nat(),
      steps: fc.nat(),
      usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
      cost: fc.constant(null),
      stopReason: fc.string(),
      turn: fc.record(
        {
          calls,
          results: blocks,
          answers: blocks,
          decisions: fc.dictionary(fc.string(), fc.constant({ outcome: 'refused' as const })),
          spawned: fc.dictionary(fc.string(), fc.string()),
        },
        { requiredKeys: ['calls', 'results'] },
      ),
      pause: fc.record({ calls, approvals: calls }),
      context: fc.record({ messages, covers: fc.nat(), coversBlocks: fc.nat() }),
      kept: fc.array(fc.record({ toolUseId: fc.string(), text: fc.string() }), { maxLength: 2 }),
      children: fc.dictionary(fc.string(), tie('tree'), { maxKeys: 2, depthIdentifier: 'agents' }),
    },
    {
      requiredKeys: ['agent', 'name', 'messages', 'runId', 'runStart', 'steps', 'usage', 'cost'],
    },
  ),
}))

test('a state is written as JSON, the same the first time and again', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const plain: unknown = JSON.parse(JSON.stringify(state))
      expect(JSON.parse(encodeState(state))).toEqual(plain)
      expect(JSON.parse(encodeState(state))).toEqual(plain)
    }),
  )
})

test('what was encoded once is not encoded again as a turn grows and closes', () => {
  let encoded = 0
  const counted = (text: string): ContentBlock => {
    const found: ContentBlock = { type: 'tool_result', text }
    const toJSON = (): object => {
      encoded++
      return { type: 'tool_result', text }
    }
    return Object.defineProperty(found, 'toJSON', { value: toJSON, enumerable: false })
  }
  const said: Message[] = Array.from({ length: 50 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [counted(`message ${n}`)],
  }))
  const usage = { input_tokens: 0, output_tokens: 0 }
  const run = { runId: 'r', runStart: 0, steps: 0, usage, cost: null }
  const state = { agent: 'a', name: 'n', messages: said, ...run }
  const results: ContentBlock[] = []
  for (let n = 0; n < 50; n++) {
    results.push(counted(`result ${n}`))
    encodeState({ ...state, turn: { calls: [], results: [...results] } })
  }
  encodeState({ ...state, messages: [...said, { role: 'user', content: results }] })
  expect(encoded).toBe(100)
})
