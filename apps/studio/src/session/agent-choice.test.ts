import { expect, test, vi } from 'vitest'
import { createAgentChoice } from './agent-choice.ts'

test('a selected agent is sent with later prompts, and can be reset to the default', () => {
  const choice = createAgentChoice()
  const heard = vi.fn()
  choice.subscribe(heard)
  expect(choice.runFields).toEqual({ tool_input: 'live' })
  choice.set('miller')
  expect(choice.get()).toBe('miller')
  expect(choice.runFields).toEqual({ tool_input: 'live', agent_type: 'miller' })
  choice.set(undefined)
  expect(choice.get()).toBeUndefined()
  expect(choice.runFields).toEqual({ tool_input: 'live' })
  expect(heard).toHaveBeenCalledTimes(2)
})
