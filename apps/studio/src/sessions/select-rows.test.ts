import { expect, test } from 'vitest'
import { toAge } from './format-age.ts'
import { selectRows } from './select-rows.ts'
import { decodeSessionPage } from './session-row.ts'
import { toStatusLabel } from './status-label.ts'

const page = decodeSessionPage({
  sessions: [
    { agent_uuid: 'a1', title: 'Water in Lisbon', agent_type: 'demo', status: 'paused' },
    { agent_uuid: 'b2', title: 'Flour', agent_type: 'miller', status: 'ended' },
    { agent_uuid: 'c3' },
    'nonsense',
    { title: 'without an id' },
  ],
  total: 9,
})
const rows = page?.rows ?? []
const find = (text: string): string[] => selectRows(rows, text).map(({ id }) => id)

test('a session may only have an id, and entries without one are skipped', () => {
  expect(rows.map(({ id }) => id)).toEqual(['a1', 'b2', 'c3'])
  expect(page?.total).toBe(9)
})

test('a row must contain every word', () => {
  expect(find('  ')).toEqual(['a1', 'b2', 'c3'])
  expect(find('lisbon WATER')).toEqual(['a1'])
  expect(find('waiting')).toEqual(['a1'])
  expect(find('miller')).toEqual(['b2'])
  expect(find('only files')).toEqual(['c3'])
  expect(find('lisbon miller')).toEqual([])
})

test('an unknown status is shown as it is', () => {
  expect(toStatusLabel({ status: 'archived' })).toEqual({ label: 'archived', tone: 'calm' })
  expect(toStatusLabel({ status: 'toString' }).label).toBe('toString')
})

test('failed and stopped runs differ from completed ones', () => {
  const labelOf = (stopReason?: string, status = 'ended') =>
    toStatusLabel({ status, ...(stopReason !== undefined && { stopReason }) }).label
  expect(labelOf('end_turn')).toBe('Ended')
  expect(labelOf()).toBe('Ended')
  expect(labelOf('error')).toBe('Failed')
  expect(labelOf('aborted')).toBe('Stopped')
  expect(labelOf('refusal')).toBe('Refused')
  expect(labelOf('error', 'running')).toBe('Running')
})

test('ages are in the largest unit, and dates after two weeks', () => {
  const now = Date.UTC(2026, 10, 16, 12)
  const minute = 60_000
  expect(toAge(now + minute, now)).toBe('just now')
  expect(toAge(now - 59_000, now)).toBe('just now')
  expect(toAge(now - 5 * minute, now)).toBe('5 min ago')
  expect(toAge(now - 119 * minute, now)).toBe('1 h ago')
  expect(toAge(now - 72 * 60 * minute, now)).toBe('3 d ago')
  expect(toAge(now - 30 * 24 * 60 * minute, now)).toMatch(/^Oct 1[678], 2026$/)
})
