import { expect, test } from 'vitest'
import {
  call,
  collect,
  setUpAgent,
  text,
  tool,
} from '../../../test/support/agents/agent-harness.ts'
import type { FileKeeper } from './generated-files.ts'

const made = (...ids: string[]) => ({
  type: 'bash_code_execution_tool_result',
  tool_use_id: 's1',
  content: {
    type: 'bash_code_execution_result',
    content: ids.map((file_id) => ({ type: 'bash_code_execution_output', file_id })),
  },
})
const code = { type: 'server_tool_use', id: 's1', name: 'bash_code_execution', input: {} }

const keeper: FileKeeper = {
  keep: async ({ fileId, agent }) => ({
    fileId,
    filename: `${fileId}.csv`,
    storageLocation: `${agent}/${fileId}`,
  }),
}

test('files that the provider generates are stored and emitted once, and listed in the result', async () => {
  const { agent } = setUpAgent(
    [
      { content: [code, made('f1', 'f2', 'f1'), call('t1', 'w')] },
      { content: [{ type: 'container_upload', file_id: 'f3' }, text('here'), made('f1')] },
    ],
    { tools: [tool('w')], files: keeper },
  )
  const run = await collect(agent, { agent: 'a1', prompt: 'go' })
  const received = run.events.flatMap((event) => (event.type === 'files' ? [event.files] : []))
  const file = (fileId: string) => ({
    fileId,
    filename: `${fileId}.csv`,
    storageLocation: `a1/${fileId}`,
  })
  expect(received).toEqual([
    [file('f1'), file('f2')],
    [file('f1'), file('f2'), file('f3')],
  ])
  expect(run.end).toMatchObject({ files: [{ fileId: 'f1' }, { fileId: 'f2' }, { fileId: 'f3' }] })
  expect(run.state.files).toHaveLength(3)
  const at = run.items.findIndex(({ type }) => type === 'files')
  expect(run.items[at - 1]).toMatchObject({
    state: { files: [{ fileId: 'f1' }, { fileId: 'f2' }] },
  })
})

test('a file that cannot be stored is still emitted; the log gets the reason', async () => {
  const errors: unknown[] = []
  const failing = new Error('disk full')
  const files: FileKeeper = { keep: () => Promise.reject(failing) }
  const { agent } = setUpAgent([{ content: [code, made('f1'), text('a')] }], {
    files,
    onError: (error) => errors.push(error),
  })
  const { end } = await collect(agent, { prompt: 'go' })
  expect(end).toMatchObject({
    stopReason: 'end_turn',
    files: [{ fileId: 'f1', filename: 'file_f1', storageLocation: '' }],
  })
  expect(errors).toEqual([failing])
})

test('a file store that never settles does not delay a stopped run', async () => {
  const files: FileKeeper = { keep: () => new Promise(() => {}) }
  const { agent } = setUpAgent([{ content: [code, made('f1'), call('t1', 'w')] }], {
    files,
    tools: [tool('w')],
  })
  const controller = new AbortController()
  const { end } = await collect(
    agent,
    { prompt: 'go' },
    ({ type }) => type === 'step_end' && setTimeout(() => controller.abort()),
    controller.signal,
  )
  expect(end).toMatchObject({ stopReason: 'aborted', files: [{ fileId: 'f1' }] })
})
