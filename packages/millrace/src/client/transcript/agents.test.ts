import { expect, test } from 'vitest'
import type { Envelope } from '../../events/index.ts'
import { createTranscript, finalText, rootAgent, type Transcript } from './index.ts'
import { agentOf, childrenOf } from './agents.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'

function reduceAll(messages: readonly Envelope[], from = createTranscript()): Transcript {
  const reduce = createFrameReducer()
  return messages.reduce((sum, one) => reduce(sum, one), from)
}

function init(agent: string, meta: object = {}): Envelope {
  return { type: 'meta_init', agent, final: true, delta: JSON.stringify(meta) }
}

function text(delta: string): Envelope {
  return { type: 'text', agent: 'root', final: true, delta }
}

test('agents are found by id, by parent and by the call that spawned them [LIFE-10]', () => {
  const child = (call: string) => ({ parent_agent_uuid: 'root', parent_tool_use_id: call })
  const tree = reduceAll([
    init('root'),
    init('a', child('c1')),
    init('b', child('c2')),
    init('c', { parent_agent_uuid: 'a' }),
  ])
  const ids = (agents: readonly { id: string }[]) => agents.map(({ id }) => id)
  expect(rootAgent(tree)?.id).toBe('root')
  expect(agentOf(tree, 'b')?.parentToolUseId).toBe('c2')
  expect(agentOf(tree, 'nobody')).toBeUndefined()
  expect(ids(childrenOf(tree, 'root'))).toEqual(['a', 'b'])
  expect(ids(childrenOf(tree, 'root', 'c2'))).toEqual(['b'])
  expect(ids(childrenOf(tree, 'a'))).toEqual(['c'])
  expect(rootAgent(createTranscript())).toBeUndefined()
})

test('an agent is found in every snapshot, regardless of later changes of others', () => {
  const stem = reduceAll([init('root')])
  const left = reduceAll([init('a'), init('b')], stem)
  const right = reduceAll([init('b'), init('a')], stem)
  for (const one of [left, right, left]) {
    expect(['a', 'b'].map((id) => agentOf(one, id)?.id)).toEqual(['a', 'b'])
  }
  expect(agentOf(stem, 'a')).toBeUndefined()
  expect([...reduceAll([init('a')], stem).agents].map(({ id }) => id)).toEqual(['root', 'a'])
})

test('the answer is the text of the latest run after its last call', () => {
  const call: Envelope = { type: 'tool_call', agent: 'root', final: true, delta: '{}', id: 'c' }
  const messages = [init('root'), text('Hm. '), call, text('It '), text('turns.')]
  expect(finalText(createTranscript())).toBe('')
  expect(finalText(reduceAll(messages.slice(0, 2)))).toBe('Hm. ')
  expect(finalText(reduceAll(messages.slice(0, 3)))).toBe('')
  expect(finalText(reduceAll(messages))).toBe('It turns.')
  expect(finalText(reduceAll([...messages, init('root')]))).toBe('')
})
