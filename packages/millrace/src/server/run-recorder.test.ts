import { expect, test } from 'vitest'
import { createEnvelopeWriter } from '../exit/index.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { createLogWriter } from './log-writer.ts'
import { createRunRecorder } from './run-recorder.ts'
import type { StoredSession } from './session-record.ts'

const stored: StoredSession = {
  version: 1,
  agentType: 'a',
  title: '',
  createdAt: 0,
  updatedAt: 0,
  runs: 1,
  status: 'running',
  stopReason: null,
  history: false,
  toolInput: 'buffered',
  startedAt: 0,
  recordedAt: 0,
  answers: [],
}

test('a store that fails while much is queued fails the start of a tool, and nothing that nobody waits for', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  let refuse = (_error: Error): void => {}
  const append = (): Promise<number> => new Promise((_, reject) => (refuse = reject))
  const store: Store = { ...createMemoryStore(), append }
  const log = createLogWriter({ store, session: 's', epoch: 1, tail: 0, maxQueuedBytes: 1 })
  const recorder = createRunRecorder({
    session: 's',
    stored,
    log,
    createWriter: () => createEnvelopeWriter({ maxBytes: 2_048 }),
    now: () => 0,
    onLine: undefined,
  })
  const start = { type: 'tool_status', agent: 's', name: 't', stage: 'started' } as const
  void recorder.write({ ...start, id: '1' })?.catch(() => {})
  const second = recorder.write({ ...start, id: '2' })
  refuse(new Error('the disk is gone'))
  await expect(second).rejects.toThrow('the disk is gone')
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
