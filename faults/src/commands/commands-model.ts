import type { Scenario, ScriptedBlock } from 'millrace-tools/emulator'

/** The prompt of a run that continues until its gate is opened, regardless of messages. */
export const HOLD = 'hold'

/** The prompt of a run whose sub-agents ask a question, wait for an approval and hold, all at once. */
export const CHILDREN = 'children'

/** The first word of every message to a run. */
export const STEER = 'steer'

/** The prompt of a run that holds although an earlier one already does. */
export const AGAIN = 'again'

const spawn = (task: string): ScriptedBlock => ({
  type: 'tool_use',
  name: 'spawn_subagent',
  input: { agent_name: 'hand', task },
})

const call = (name: string): ScriptedBlock => ({ type: 'tool_use', name, input: {} })

/** Calls once, and ends when there is a result, regardless of messages in between. */
const createOnce = (name: string, prompt: string, blocks: readonly ScriptedBlock[]): Scenario => ({
  name,
  summary: name,
  matches: (text) => text.startsWith(prompt),
  reply: ({ messages }) => {
    const isCalled = messages.some(({ content }) =>
      content.some(({ type }) => type === 'tool_result'),
    )
    return { blocks: isCalled ? [{ type: 'text', text: 'Done.' }] : [...blocks] }
  },
})

/** Calls in each run, and ends when its newest message is the result. */
const createEach = (name: string, prompt: string, blocks: readonly ScriptedBlock[]): Scenario => ({
  name,
  summary: name,
  matches: (text) => text.startsWith(prompt),
  reply: ({ messages }) => {
    const isCalled = messages.at(-1)?.content.some(({ type }) => type === 'tool_result') === true
    return { blocks: isCalled ? [{ type: 'text', text: 'Done.' }] : [...blocks] }
  },
})

/** The scripts of runs that get commands. */
export const commandScenarios: readonly Scenario[] = [
  createOnce('hold', HOLD, [call('hold')]),
  createOnce('children', CHILDREN, [spawn('ask'), spawn('order'), spawn(HOLD)]),
  createEach('again', AGAIN, [call('hold')]),
  // The newest words choose the script; the current script continues after them.
  createOnce('steered', STEER, [call('hold')]),
]
