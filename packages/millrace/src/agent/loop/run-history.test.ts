import { expect, test } from 'vitest'
import {
  call,
  collect,
  confirm,
  setUpAgent,
  text,
} from '../../../test/support/agents/agent-harness.ts'
import { setUpChild, setUpParent, spawn } from '../../../test/support/agents/family.ts'

const upload = (file_id: string) => ({ type: 'container_upload', file_id })
const fileIds = (event: unknown) =>
  (event as { files: { fileId: string }[] }).files.map(({ fileId }) => fileId)

test('a run starts and ends with the whole conversation, by reference', async () => {
  const { agent } = setUpAgent([{ content: [text('one.')] }, { content: [text('two.')] }])
  const first = await collect(agent, { prompt: 'one?' })
  const { events, end, state } = await collect(agent, { state: first.state, prompt: 'two?' })
  expect(events[0]).toMatchObject({ messages: [{}, {}, { content: [text('two?')] }] })
  expect(end).toMatchObject({ messages: [{ content: [text('two?')] }, {}] })
  expect(end).toHaveProperty('history')
  if (end?.type === 'run_end') expect(end.history).toBe(state.messages)
})

test('the files of a run are those of the run and its sub-agents, without those of earlier runs', async () => {
  const { agent: child } = setUpChild([
    { content: [upload('c1'), text('dug')] },
    { content: [upload('c2'), text('dug on')] },
    { content: [text('nothing')] },
  ])
  const resume = (id: string, state: { children?: object }) =>
    spawn(id, { resume_agent_uuid: Object.keys(state.children ?? {})[0] })
  const { agent } = setUpParent(
    [
      { content: [upload('r1'), spawn('t1')] },
      { content: [text('first')] },
      { content: [upload('r2'), text('second')] },
    ],
    [child],
  )
  const first = await collect(agent, { prompt: 'one' })
  expect(fileIds(first.end)).toEqual(['r1', 'c1'])
  const second = await collect(agent, { state: first.state, prompt: 'two' })
  expect(fileIds(second.end)).toEqual(['r2'])
  expect(second.events.filter(({ type }) => type === 'files').map(fileIds)).toEqual([['r2']])
  expect(second.state.files).toHaveLength(2)

  const { agent: again } = setUpParent(
    [
      { content: [spawn('t1')] },
      { content: [resume('t2', first.state)] },
      { content: [text('done')] },
    ],
    [child],
  )
  const third = await collect(again, { state: second.state, prompt: 'three' })
  expect(fileIds(third.end)).toEqual(['c2'])
})

test('the end of a sub-agent that a new prompt closes is stored without its history', async () => {
  const { agent: child } = setUpChild([{ content: [call('c1', 'confirm')] }], { tools: [confirm] })
  const { agent } = setUpParent([{ content: [spawn('t1')] }], [child])
  const paused = await collect(agent, { prompt: 'go' })
  const { states } = await collect(agent, { state: paused.state, prompt: 'never mind' })
  const stored = states.flatMap(({ unsent = [] }) => unsent)
  const ends = stored.filter(({ type }) => type === 'run_end')
  expect(ends).not.toEqual([])
  expect(ends.filter((event) => 'history' in event)).toEqual([])
})
