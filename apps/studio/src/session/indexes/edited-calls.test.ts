import { chunkPayload } from 'millrace'
import { expect, test } from 'vitest'
import { createFrameLog } from '../frames/frame-log.ts'
import { createEditedCalls } from './edited-calls.ts'

function status(id: string, stage: string, payload = ''): readonly string[] {
  const extras = { id, name: 'write_file', stage }
  return [...chunkPayload({ type: 'tool_status', agent: 'a', payload, extras, maxBytes: 4_096 })]
}

function feed(lines: readonly string[], options = {}) {
  const calls = createEditedCalls(options)
  const log = createFrameLog({ schedule: (callback) => callback() })
  for (const data of lines) calls.add(log.add({ id: undefined, data }))
  return calls
}

test('edited arguments of any length remain after later stages', () => {
  const changed = JSON.stringify({ path: 'mine.md', content: 'Ü"\n'.repeat(5_000) })
  const lines = [...status('t1', 'approved', changed), ...status('t1', 'succeeded')]
  expect(lines.length).toBeGreaterThan(3)
  expect(feed(lines).argumentsOf('t1')).toBe(changed)
})

test('a call that was approved unchanged, denied or is running has none', () => {
  const lines = [
    ...status('t1', 'approved'),
    ...status('t2', 'refused', 'No.'),
    ...status('t3', 'progress', '{"a":1}'),
    '{"type":"tool_status","agent":',
    '[DONE]',
  ]
  const calls = feed(lines)
  expect(['t1', 't2', 't3'].map((id) => calls.argumentsOf(id))).toEqual(Array(3).fill(undefined))
})

test('the oldest are dropped first', () => {
  const calls = feed(
    ['t1', 't2', 't3'].flatMap((id) => status(id, 'approved', '{}')),
    { maxCalls: 2 },
  )
  expect(['t1', 't2', 't3'].map((id) => calls.argumentsOf(id))).toEqual([undefined, '{}', '{}'])
})
