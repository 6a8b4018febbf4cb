import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MillraceError } from '../errors/index.ts'
import { nextConnection, noConnection } from './connection-state.ts'
import type { Connection, ConnectionEvent } from './connection-state.ts'

const events: readonly ConnectionEvent[] = [
  'open',
  'accept',
  'prove',
  'end',
  'cut',
  'drop',
  'refuse',
  'close',
]
const error = new MillraceError('connection_lost', 'gone')

function follow(path: readonly ConnectionEvent[]): Connection {
  return path.reduce((connection, event) => nextConnection(connection, event), noConnection)
}

describe('connection', () => {
  test('a run goes from idle through connecting and streaming back to idle', () => {
    expect(follow(['open']).state).toBe('connecting')
    expect(follow(['open', 'accept']).state).toBe('streaming')
    expect(follow(['open', 'accept', 'end'])).toEqual(noConnection)
  })

  test('losses in a row are counted until a message has come through', () => {
    const lost = follow(['open', 'cut', 'open', 'accept', 'drop', 'open', 'accept'])
    expect(lost).toEqual({ state: 'streaming', attempt: 2 })
    expect(nextConnection(lost, 'prove')).toEqual({ state: 'streaming', attempt: 0 })
  })

  test('the reason is told while the connection is down and forgotten when it is tried again', () => {
    const down = nextConnection(follow(['open']), 'cut', { error, retryAt: 7 })
    expect(down).toEqual({ state: 'waiting', attempt: 1, error, retryAt: 7 })
    expect(nextConnection(down, 'open')).toEqual({ state: 'connecting', attempt: 1 })
  })

  test('nothing leads out of closed, and close leads there from everywhere', () => {
    const anyPath = fc.array(fc.constantFrom(...events))
    fc.assert(
      fc.property(anyPath, anyPath, (before, after) => {
        expect(follow([...before, 'close', ...after]).state).toBe('closed')
      }),
    )
  })

  test('an event that means nothing in a state leaves the very same connection', () => {
    expect(nextConnection(noConnection, 'cut')).toBe(noConnection)
    expect(nextConnection(noConnection, 'prove')).toBe(noConnection)
  })
})
