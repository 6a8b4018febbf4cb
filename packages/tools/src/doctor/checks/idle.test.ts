import { expect, test } from 'vitest'
import type { Probe } from '../probe.ts'
import { judgeIdle } from './idle.ts'

/** A stream with output at these times. */
function probed(end: Probe['end'], endedMs: number, ...atMs: number[]): Probe {
  return {
    status: 200,
    headers: {},
    startedAtMs: 0,
    headersMs: 0,
    greeting: undefined,
    frames: [],
    commentsMs: atMs.slice(1),
    chunks: atMs.map((at) => ({ atMs: at, bytes: 8 })),
    text: '',
    end,
    endedMs,
  }
}

const second = 1_000
const kept = probed('done', 120 * second, 0)
const lively = probed('done', 120 * second, 0, 15 * second, 30 * second)
const times = { idleMs: 120 * second, livelyHeartbeatMs: 15 * second, ownHeartbeatMs: 15 * second }

test('an idle connection that stays open needs no fix', () => {
  expect(judgeIdle({ ...times, silent: kept, lively }).severity).toBe('ok')
})

test('an idle timeout well above the heartbeat interval is no problem', () => {
  const silent = probed('cut', 60 * second, 0)
  const finding = judgeIdle({ ...times, silent, lively })
  expect(finding.severity).toBe('ok')
  expect(finding.seen).toBe('A silence is cut after 60 s; heartbeats every 15 s prevent that')
})

test('an idle timeout just above the heartbeat interval is a note, one below it a problem', () => {
  const silent = probed('cut', 20 * second, 0)
  expect(judgeIdle({ ...times, silent, lively }).severity).toBe('note')
  const late = judgeIdle({ ...times, ownHeartbeatMs: 30 * second, silent, lively })
  expect(late).toMatchObject({ severity: 'problem', fix: 'idle' })
})

test('a connection that ends without notice counts as closed', () => {
  const silent = probed('silent', 135 * second, 0)
  const finding = judgeIdle({ ...times, ownHeartbeatMs: 200 * second, silent, lively })
  expect(finding.seen).toContain('without notice')
})

test('a stream that ends despite heartbeats has a time limit', () => {
  const limited = probed('cut', 60 * second, 0, 15 * second, 30 * second, 45 * second)
  const silent = probed('cut', 60 * second, 0)
  expect(judgeIdle({ ...times, silent, lively: limited })).toMatchObject({
    severity: 'problem',
    fix: 'duration',
  })
  expect(judgeIdle({ ...times, silent: kept, lively: limited }).fix).toBe('duration')
  const deaf = probed('cut', 60 * second, 0)
  expect(judgeIdle({ ...times, silent: kept, lively: deaf }).fix).toBe('idle')
})
