import { expect, test } from 'vitest'
import { toAwaitedJson } from '../../events/index.ts'
import { pendingIn } from './record-writer.ts'
import type { StoredSession } from './session-record.ts'
import { encodeSessionView } from './session-view.ts'

test('pending calls look the same as when they were announced', () => {
  const calls = [
    { id: 'a', name: 'f', inputText: '' },
    { id: 'b', name: 'f', inputText: '{"n": 12345678901234567890}' },
    { id: 'c', name: 'f', inputText: '{"cut' },
  ]
  const pending = { calls: calls.map((call) => ({ ...call, agent: 's' })), approvals: [] }
  const stored: StoredSession = {
    version: 2,
    agentType: 'demo',
    title: 't',
    createdAt: 0,
    updatedAt: 0,
    runs: 1,
    status: 'paused',
    stopReason: null,
    history: false,
    toolInput: 'buffered',
    pending,
    startedAt: 0,
    recordedAt: 3,
    answers: [],
  }
  const info = {
    session: 's',
    log: 'l',
    generation: 1,
    tail: 3,
    earliest: 1,
    epoch: 1,
    inbox: 0,
    pending: 0,
    head: undefined,
    owner: null,
  }
  const view = encodeSessionView(info, stored, { isActive: false, pending: pendingIn(stored) })
  expect(view).toContain(
    `"pending":${toAwaitedJson(calls.map((call) => ({ ...call, agent: 's' })))}`,
  )
  expect(JSON.parse(view)).toMatchObject({
    status: 'paused',
    pending: [{ tool_use_id: 'a', name: 'f', input: {} }, {}, { input: '{"cut' }],
  })
})
