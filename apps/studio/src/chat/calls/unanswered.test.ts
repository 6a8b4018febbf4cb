import { createTranscript, encodeEnvelope, decodeEnvelope } from 'millrace'
import { expect, test } from 'vitest'
import { hasUnansweredQuestion } from './unanswered.ts'
import { createFrameReducer } from 'millrace/testing'

const given = { type: 'tool_result', is_error: true }

/** A root that spawned an agent, which spawned one that asks. */
const asked = [
  { type: 'meta_init', agent: 'root', delta: '{}' },
  { type: 'tool_call', agent: 'root', id: 's', name: 'spawn' },
  init('middle', 'root', 's'),
  { type: 'tool_call', agent: 'middle', id: 'm', name: 'spawn' },
  init('inner', 'middle', 'm'),
  { type: 'tool_call', agent: 'inner', id: 'q', name: 'user_confirm' },
]

function init(agent: string, parent: string, call: string) {
  const meta = { parent_agent_uuid: parent, parent_tool_use_id: call }
  return { type: 'meta_init', agent, delta: JSON.stringify(meta) }
}

function play(messages: readonly { readonly type: string; readonly agent: string }[]) {
  const reduce = createFrameReducer()
  return messages.reduce(
    (before, message) =>
      reduce(before, decodeEnvelope(encodeEnvelope({ final: true, delta: '', ...message }))),
    createTranscript(),
  )
}

test('an agent has an unanswered question if its last command, or that of a sub-agent, was an abandoned question', () => {
  const left = play([
    ...asked,
    { ...given, agent: 'inner', id: 'q', name: 'user_confirm' } as never,
  ])
  expect(
    ['inner', 'middle', 'root', 'nobody'].map((id) => hasUnansweredQuestion(left, id)),
  ).toEqual([true, true, true, false])
})

test('a run keeps its unanswered question when another run follows', () => {
  const question = { type: 'tool_call', agent: 'root', id: 'q', name: 'user_confirm' }
  const left = { ...given, agent: 'root', id: 'q', name: 'user_confirm' }
  const again = [asked[0]!, { type: 'text', agent: 'root', delta: 'Yes.' }]
  const two = play([asked[0]!, question, left, ...again])
  const found = [0, 1, undefined].map((run) =>
    hasUnansweredQuestion(two, 'root', run === undefined ? {} : { run }),
  )
  expect(found).toEqual([true, false, false])
})

test('an answered question, or one that the agent continued after, does not count', () => {
  const answer = { type: 'tool_result', agent: 'inner', id: 'q', name: 'user_confirm' }
  expect(hasUnansweredQuestion(play([...asked, answer]), 'middle')).toBe(false)
  const wentOn = [...asked, { ...given, ...answer }, { type: 'text', agent: 'inner' }]
  expect(hasUnansweredQuestion(play(wentOn), 'middle')).toBe(false)
})
