import { expect, test } from 'vitest'
import { createFrameLog } from '../frames/frame-log.ts'
import { createCallTimes } from './call-times.ts'

/** Creates a log of lines one second apart, and the times of its calls. */
function feed(lines: readonly object[], { isTimed = true, maxCalls = 10 } = {}) {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const places = createCallTimes({ maxCalls })
  for (const [index, line] of lines.entries()) {
    const frame = { id: index + 1, data: JSON.stringify(line) }
    places.add(log.add(frame, { time: index * 1_000, isTimed }))
  }
  return (id: string) => places.durationOf(id, log.getSnapshot().frames)
}

const line = (type: string, id: string, fields: object = {}) => {
  const { final = true, delta = '', ...rest } = fields as { final?: boolean; delta?: string }
  return { type, agent: 'a', final, delta, id, name: 'look', ...rest }
}

const status = (id: string, stage: string) => line('tool_status', id, { stage })

test('a call lasts from its start to the end of its result', () => {
  const durationOf = feed([
    line('tool_call', 'c1', { final: false }),
    line('tool_call', 'c1'),
    status('c1', 'started'),
    status('c2', 'started'),
    line('tool_result', 'c1', { final: false }),
    line('tool_result', 'c1', { delta: ',"id":"c2",', is_error: true }),
    line('text', 'c2'),
  ])
  expect(durationOf('c1')).toBe(3_000)
  expect(durationOf('c2')).toBeUndefined()
  expect(durationOf('__proto__')).toBeUndefined()
})

test('a server tool of the provider starts when its input is complete', () => {
  const durationOf = feed([
    line('server_tool_call', 'c1', { final: false }),
    line('server_tool_call', 'c1'),
    line('text', 'c2'),
    line('server_tool_result', 'c1'),
  ])
  expect(durationOf('c1')).toBe(2_000)
})

test('the time for an approval is not part of the tool’s time', () => {
  const durationOf = feed([
    line('tool_call', 'c1'),
    status('c1', 'approval_requested'),
    status('c1', 'approved'),
    status('c1', 'started'),
    status('c1', 'succeeded'),
    line('tool_result', 'c1'),
  ])
  expect(durationOf('c1')).toBe(2_000)
})

test.each([
  ['was denied', [status('c1', 'approval_requested'), status('c1', 'refused')]],
  ['was asked again', [status('c1', 'started'), status('c1', 'approval_requested')]],
  ['a person answered in the browser', []],
  ['has an unknown stage', [status('c1', 'constructor')]],
])('a call that %s has no duration', (_, stages) => {
  const lines = [line('tool_call', 'c1'), ...stages, line('tool_result', 'c1')]
  expect(feed(lines)('c1')).toBeUndefined()
})

test('a repeated id does not keep the start of the earlier call', () => {
  const first = [status('c1', 'started'), line('tool_result', 'c1')]
  const durationOf = feed([...first, line('tool_call', 'c1'), line('tool_result', 'c1')])
  expect(durationOf('c1')).toBeUndefined()
})

test('unknown times give no duration, and the oldest calls are dropped first', () => {
  const lines = ['c1', 'c2'].flatMap((id) => [status(id, 'started'), line('tool_result', id)])
  expect(feed(lines, { isTimed: false })('c1')).toBeUndefined()
  const durationOf = feed(lines, { maxCalls: 1 })
  expect(durationOf('c1')).toBeUndefined()
  expect(durationOf('c2')).toBe(1_000)
})
