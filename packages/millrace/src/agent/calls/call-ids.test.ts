import { expect, test } from 'vitest'
import {
  anything,
  call,
  collect,
  setUpAgent,
  text,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, setUpParent, spawn } from '../../../test/support/agents/family.ts'
import type { ContentBlock } from '../../events/index.ts'
import { createCallIds, withVoidCalls } from './call-ids.ts'
import { answerPause } from './answer-pause.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { pendingOf } from '../state/pending-calls.ts'

const KIMI = 'functions.run_bash:0'

/** A tool that needs an approval and records its executed commands. */
function setUpShell() {
  const commands: string[] = []
  const shell = defineTool({
    name: 'run_bash',
    description: '',
    input: anything,
    run: ({ command }) => void commands.push(String(command)),
    needsApproval: true,
  })
  return { shell, commands }
}

const runBash = (command: string) => call(KIMI, 'run_bash', { command })
const blocksOf = (messages: readonly { content: readonly ContentBlock[] }[], type: string) =>
  messages.flatMap(({ content }) => content.filter((block) => block.type === type))

test('[CALL-1] a used id gets the next number, or a number', () => {
  const state = { agent: 'a', name: 'a', messages: [], runId: '', runStart: 0, steps: 0 }
  const ids = createCallIds({ ...state, usage: { input_tokens: 0, output_tokens: 0 }, cost: null })
  const take = (id: string) => ids.take(id, 'a')
  expect([KIMI, KIMI, KIMI].map(take)).toEqual([
    KIMI,
    'functions.run_bash:1',
    'functions.run_bash:2',
  ])
  expect(['call', 'call', 'call'].map(take)).toEqual(['call', 'call_2', 'call_3'])
  ids.release(['call'], 'a')
  expect(ids.take('call', 'b')).toBe('call_4')
  expect(take('call')).toBe('call')
  expect(take('call')).toBe('call_5')
})

test('[CALL-1] approving the second of two calls with one id runs the second', async () => {
  const { shell, commands } = setUpShell()
  const children = ['rm -rf build', 'ls'].map((command, index) =>
    setUpChild([{ content: [runBash(command)] }], { name: `child${index}`, tools: [shell] }),
  )
  const { agent } = setUpParent(
    [
      {
        content: [spawn('t1', { agent_name: 'child0' }), spawn('t2', { agent_name: 'child1' })],
      },
    ],
    children.map(({ agent: child }) => child),
  )
  const { state } = await collect(agent, { prompt: 'go' })
  const { approvals } = pendingOf(state)
  expect(new Set(approvals.map(({ id }) => id)).size).toBe(2)
  const listing = approvals.find(({ inputText }) => inputText.includes('ls'))!
  const decision = { toolUseId: listing.id, outcome: 'approved' } as const
  const { state: after } = await collect(agent, { state, decisions: [decision] })
  expect(commands).toEqual(['ls'])
  expect(pendingOf(after).approvals).toMatchObject([{ inputText: '{"command":"rm -rf build"}' }])
})

test('[CALL-1] two calls with one id in one message are two calls, also for the model', async () => {
  const { shell, commands } = setUpShell()
  const { agent, model } = setUpAgent(
    [{ content: [runBash('one'), runBash('two')] }, { content: [text('done')] }],
    { tools: [shell] },
  )
  const { state } = await collect(agent, { prompt: 'go' })
  const decisions = [
    { toolUseId: KIMI, outcome: 'refused' },
    { toolUseId: 'functions.run_bash:1', outcome: 'approved' },
  ] as const
  await collect(agent, { state, decisions })
  expect(commands).toEqual(['two'])
  const { messages } = model.requests[1]!
  const ids = blocksOf(messages, 'tool_use').map(({ id }) => id)
  expect(ids).toEqual([KIMI, 'functions.run_bash:1'])
  expect(blocksOf(messages, 'tool_result').map(({ tool_use_id: id }) => id)).toEqual(ids)
})

test('[CALL-1] ids of dropped sub-agents and of interrupted calls stay reserved', async () => {
  const { agent: child } = setUpChild([{ content: [call('same', 'nothing')] }])
  const { agent } = setUpParent(
    [
      { content: [spawn('t1')] },
      {},
      { openBlock: call('cut', 'nothing'), outcome: 'failed' },
      { content: [call('same', 'nothing'), call('cut', 'nothing')] },
    ],
    [child],
    { maxKeptSubagents: 0, retries: 0 },
  )
  const first = await collect(agent, { prompt: 'go' })
  const second = await collect(agent, { state: first.state, prompt: 'go' })
  expect(second.state.children).toEqual({})
  const third = await collect(agent, { state: second.state, prompt: 'go' })
  const ids = blocksOf(third.state.messages, 'tool_use').map(({ id }) => id)
  expect(ids).toEqual(['t1', 'same_2', 'cut_2'])
})

test('[CALL-1] ids of void calls stay reserved if they belong to the sub-agent of a dropped sub-agent', async () => {
  const grandchild = setUpChild(
    [{ content: [call('void', 'nothing')], outcome: 'interrupted' }, { content: [text('ok')] }],
    { name: 'grandchild' },
  )
  const child = setUpChild([{ content: [spawn('t2', { agent_name: 'grandchild' })] }], {
    subagents: [grandchild.agent],
  })
  const { agent } = setUpParent(
    [{ content: [spawn('t1')] }, {}, { content: [call('void', 'nothing')] }],
    [child.agent],
    { maxKeptSubagents: 0 },
  )
  const first = await collect(agent, { prompt: 'go' })
  const second = await collect(agent, { state: first.state, prompt: 'go' })
  expect(second.state.children).toEqual({})
  const ids = blocksOf(second.state.messages, 'tool_use').map(({ id }) => id)
  expect(ids).toEqual(['t1', 'void_2'])
})

test('[CALL-1] ids of emitted calls stay reserved if the state does not contain their agent', async () => {
  const { agent } = setUpAgent([{ content: [call('known', 'nothing')] }])
  const { state } = await collect(agent, { prompt: 'go' })
  const kept = withVoidCalls(state, `${state.agent}.7`, ['shown', 'known'])
  expect(kept.unlistedCalls).toEqual(['shown'])
  expect(withVoidCalls(kept, `${state.agent}.7`, ['shown'])).toBe(kept)
  const ids = createCallIds(kept)
  expect(ids.take('shown', state.agent)).toBe('shown_2')
  expect(ids.take('shown', `${state.agent}.7`)).toBe('shown_3')
})

test('[CALL-2] an answer that names another agent is rejected and changes nothing', async () => {
  const { shell } = setUpShell()
  const { agent } = setUpAgent([{ content: [runBash('ls')] }], { tools: [shell] })
  const { state } = await collect(agent, { prompt: 'go' })
  const decision = { toolUseId: KIMI, outcome: 'approved' } as const
  expect(() => answerPause(state, { decisions: [{ ...decision, agent: 'other' }] })).toThrow(
    expect.objectContaining({ code: 'conflict' }),
  )
  const named = answerPause(state, { decisions: [{ ...decision, agent: state.agent }] })
  expect(named).toMatchObject({ complete: true, changed: true })
})
