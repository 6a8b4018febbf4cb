import { createTranscript, rootAgent } from 'millrace'
import type { AgentNode } from 'millrace'
import { expect, test } from 'vitest'
import { isInBatch } from './is-in-batch.ts'
import { createFrameReducer } from 'millrace/testing'

/** Creates an agent from a pattern: a digit is a call in the step of that number, 0 is a text. */
function agentWith(pattern: string): AgentNode {
  let transcript = createTranscript()
  const reduce = createFrameReducer()
  const tell = (type: string, fields: object = {}) => {
    const message = { type, agent: 'a', final: true, delta: '{}', ...fields }
    transcript = reduce(transcript, message)
  }
  tell('meta_init')
  let step = ''
  for (const [index, each] of pattern.split('').entries()) {
    if (step !== '' && each !== '0' && each !== step) tell('meta_step')
    if (each !== '0') step = each
    if (each === '0') tell('text', { delta: 'words' })
    else tell('tool_call', { id: `c${index}`, name: 'look' })
  }
  const agent = rootAgent(transcript)
  if (!agent) throw new Error('There is no agent.')
  return agent
}

/** Returns for each block whether it is in a batch. */
function read(pattern: string): string {
  const agent = agentWith(pattern)
  return pattern
    .split('')
    .map((_, at) => (isInBatch(agent, at) ? 'x' : '-'))
    .join('')
}

test('a batch is four or more adjacent calls in one step', () => {
  expect(read('111')).toBe('---')
  expect(read('1111')).toBe('xxxx')
  expect(read('1111111111')).toBe('xxxxxxxxxx')
  expect(read('01111')).toBe('-xxxx')
  expect(read('1101')).toBe('----')
  expect(read('112233')).toBe('------')
  expect(read('1222234')).toBe('-xxxx--')
})
