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

const anyState: fc.Arbitrary<AgentState> = fc.record(
  {
    agent: fc.string(),
    messages: fc.array(message, { maxLength: 4 }),
    runId: fc.string(),
    runStart: fc.nat(),
    steps: fc.nat(),
    usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
    stopReason: fc.string(),
    turn: fc.record({ calls, results: blocks }),
    pause: fc.record({ calls, results: blocks, shown: fc.nat() }),
  },
  { requiredKeys: ['agent', 'messages', 'runId', 'runStart', 'steps', 'usage'] },
)

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
  const messages: Message[] = Array.from({ length: 50 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [counted(`message ${n}`)],
  }))
  const usage = { input_tokens: 0, output_tokens: 0 }
  const state = { agent: 'a', messages, runId: 'r', runStart: 0, steps: 0, usage }
  const results: ContentBlock[] = []
  for (let n = 0; n < 50; n++) {
    results.push(counted(`result ${n}`))
    encodeState({ ...state, turn: { calls: [], results: [...results] } })
  }
  encodeState({ ...state, messages: [...messages, { role: 'user', content: results }] })
  expect(encoded).toBe(100)
})
