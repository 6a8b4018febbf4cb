import { chunkPayload } from 'millrace'
import { expect, test } from 'vitest'
import { createFrameLog } from '../frames/frame-log.ts'
import { createPromptFiles } from './prompt-files.ts'

const begin = (run: string, files: unknown, query = '') => [
  ...chunkPayload({
    type: 'meta_init',
    agent: 'root',
    payload: JSON.stringify({ run_id: run, user_query: query, user_files: files }),
    maxBytes: 512,
  }),
]

function feed(lines: readonly string[], options = {}) {
  const files = createPromptFiles(options)
  const log = createFrameLog({ schedule: (callback) => callback() })
  for (const data of lines) files.add(log.add({ id: undefined, data }))
  return files
}

test('files of a prompt are found by run and block, also from a chunked frame', () => {
  const { filesOf } = feed([
    ...begin(
      'one',
      [
        { block: 0, file_id: 'a', filename: 'wheel.png' },
        { block: 2, file_id: 'b' },
      ],
      'Ü"'.repeat(500),
    ),
    '{"type":"meta_init","agent":',
    '[DONE]',
    ...begin('two', [{ block: 'x', file_id: 'c' }, { block: 1 }, null]),
    ...begin('three', undefined),
  ])
  expect([...filesOf('one')]).toEqual([
    [0, { id: 'a', name: 'wheel.png' }],
    [2, { id: 'b', name: undefined }],
  ])
  expect(['two', 'three', 'four', undefined].map((run) => filesOf(run).size)).toEqual([0, 0, 0, 0])
})

test('the oldest are dropped first', () => {
  const files = [{ block: 0, file_id: 'a' }]
  const lines = ['one', 'two', 'three'].flatMap((run) => begin(run, files))
  const { filesOf } = feed(lines, { maxRuns: 2 })
  expect(['one', 'two', 'three'].map((run) => filesOf(run).size)).toEqual([0, 1, 1])
})
