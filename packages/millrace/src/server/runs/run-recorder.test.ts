import { expect, test } from 'vitest'
import { createEnvelopeWriter } from '../../events/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Appended, Store } from '../../stores/port/index.ts'
import { LogWriter } from './log-writer.ts'
import { createRunRecorder } from './run-recorder.ts'
import { RecordWriter } from '../sessions/record-writer.ts'
import { decodeHead, type StoredSession } from '../sessions/session-record.ts'

const stored: StoredSession = {
  version: 2,
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

test('a store that fails while much is queued fails the start of a tool, without an unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  let refuse = (_error: Error): void => {}
  const append = (): Promise<Appended> => new Promise((_, reject) => (refuse = reject))
  const store: Store = { ...createMemoryStore(), append }
  const log = new LogWriter({ store, session: 's', epoch: 1, tail: 0, maxQueuedBytes: 1 })
  const recorder = createRunRecorder({
    session: 's',
    stored,
    record: new RecordWriter(),
    log,
    createWriter: () => createEnvelopeWriter({ maxBytes: 2_048 }),
    now: () => 0,
    onLine: undefined,
  })
  const start = { type: 'tool_status', agent: 's', name: 't', stage: 'started' } as const
  void recorder.write({ ...start, callId: '1' })?.catch(() => {})
  const second = recorder.write({ ...start, callId: '2' })
  refuse(new Error('the disk is gone'))
  await expect(second).rejects.toThrow('the disk is gone')
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('[LOG-10] the head has the last rollback, also if frames that close blocks precede it', async () => {
  const store = createMemoryStore()
  const { epoch } = await store.open('s', { owner: 'o', ms: 1_000 }, 0)
  const log = new LogWriter({ store, session: 's', epoch, tail: 0, maxQueuedBytes: 1_000 })
  const recorder = createRunRecorder({
    session: 's',
    stored,
    record: new RecordWriter(),
    log,
    createWriter: () => createEnvelopeWriter({ maxBytes: 2_048 }),
    now: () => 0,
    onLine: undefined,
  })
  const text = { type: 'text', text: '' }
  await recorder.write({ type: 'block_start', agent: 's', block: 0, kind: 'text', content: text })
  await recorder.write({ type: 'block_delta', agent: 's', block: 0, text: 'void' })
  await recorder.write({ type: 'rollback', agent: 's', step: 1, attempt: 2, reason: 'cut' })
  await log.flush()
  const lines = (await store.read('s', 0, 10)).map(({ line }) => new TextDecoder().decode(line))
  const rollback = lines.findIndex((line) => line.includes('"rollback"')) + 1
  expect(rollback).toBe(lines.length)
  const head = (await store.info('s'))?.head
  expect(head && decodeHead(head).lastRollback).toBe(rollback)
})
