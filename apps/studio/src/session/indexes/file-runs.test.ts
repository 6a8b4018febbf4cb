import { chunkPayload } from 'millrace'
import { expect, test } from 'vitest'
import { createFrameLog } from '../frames/frame-log.ts'
import { createFileRuns } from './file-runs.ts'

function message(agent: string, type: string, value: unknown): readonly string[] {
  const payload = JSON.stringify(value)
  return [...chunkPayload({ type, agent, payload, maxBytes: 4_096 })]
}

const begin = (agent: string, runId: string, query = '') =>
  message(agent, 'meta_init', { run_id: runId, user_query: query })
const files = (agent: string, ...ids: readonly string[]) =>
  message(agent, 'meta_files', { files: ids.map((id) => ({ file_id: id, filename: id })) })

function feed(lines: readonly string[], options = {}) {
  const runs = createFileRuns(options)
  const log = createFrameLog({ schedule: (callback) => callback() })
  for (const data of lines) runs.add(log.add({ id: undefined, data }))
  return runs
}

test('a file belongs to the run in progress when it was first reported, also for sub-agents', () => {
  const runs = feed([
    ...begin('root', 'one', 'Ü"'.repeat(5_000)),
    ...files('root', 'a'),
    ...begin('child', 'inner'),
    ...files('child', 'b'),
    '{"type":"meta_files","agent":',
    '[DONE]',
    ...begin('root', 'two'),
    ...files('root', 'a', 'c'),
  ])
  expect(['a', 'b', 'c', 'd'].map(runs.runOf)).toEqual(['one', 'one', 'two', undefined])
})

test('the oldest are dropped first', () => {
  const runs = feed([...begin('root', 'one'), ...files('root', 'a', 'b', 'c')], { maxFiles: 2 })
  expect(['a', 'b', 'c'].map(runs.runOf)).toEqual([undefined, 'one', 'one'])
})
