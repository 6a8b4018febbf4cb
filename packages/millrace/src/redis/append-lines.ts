import { createHash } from 'node:crypto'
import type { MillraceError } from '../errors/index.ts'
import { type Append, type Lease, leaseLost, sessionUnknown, tailDiffers } from '../store/index.ts'
import type { Argument } from './connection.ts'
import type { RedisContext } from './redis-context.ts'
import { append } from './scripts/index.ts'
import { type SessionState, stateOf, type Status, statusOf } from './session-state.ts'
import { logTruncated } from './store-errors.ts'

/** Stores appends. */
export type AppendLines = (append: Append) => Promise<number>

/** Trimming costs by the block, so that one that is due with every append would double its cost. */
const LARGEST_BLOCK = 1_024

/** So many appends whose outcome is not known are remembered, to know them again. */
const MAX_DOUBTS = 1_000

/** Builds what appends. */
export function createAppendLines(context: RedisContext, maxMessages: number): AppendLines {
  const { run, keys, witness, taps, shared, note } = context
  const block = Math.min(LARGEST_BLOCK, Math.ceil(maxMessages / 8))
  const process = crypto.randomUUID()
  const doubts = new Map<string, string>()
  let count = 0

  const toArguments = (asked: Append, channel: string, token: string): Argument[] => {
    const { session, epoch, tail, lines } = asked
    const seen = witness.mark(session)
    const writer = seen?.epoch === epoch ? seen.writer : ''
    const parts = toParts(asked)
    const head: Argument[] = [session, epoch, writer, tail, token, channel, maxMessages, block]
    return head.concat(parts.length / 3, parts, lines.map(toBuffer))
  }

  /** A caller that tries again what was in doubt gets the token that may have been stored. */
  const toToken = (asked: Append): string => {
    const known = doubts.size > 0 ? doubts.get(digest(asked)) : undefined
    return known ?? `${process}:${++count}`
  }

  const remember = (asked: Append, token: string): void => {
    doubts.set(digest(asked), token)
    const [oldest] = doubts.keys()
    if (doubts.size > MAX_DOUBTS && oldest !== undefined) doubts.delete(oldest)
  }

  return async (asked) => {
    const { session, lease } = asked
    const { meta, log, history, conversations, channel } = keys.session(session)
    const token = toToken(asked)
    const reply = await run(
      append,
      [meta, log, history, conversations, ...shared],
      toArguments(asked, channel, token),
    ).catch((error: unknown) => {
      remember(asked, token)
      throw error
    })
    if (doubts.size > 0) doubts.delete(digest(asked))
    const status = statusOf(reply)
    const state = stateOf(reply)
    if (status !== 'ok') {
      if (status !== 'truncated') await witness.doubt(session)
      throw refusal(status, asked, state)
    }
    await witness.see(session, state)
    taps.advance(session, state.tail)
    await note(session, 'write', typeof lease === 'object' ? lease.ms : lease)
    return state.tail
  }
}

function refusal(
  status: Status,
  { session, epoch, tail }: Append,
  state: SessionState,
): MillraceError {
  if (status === 'truncated') return logTruncated(session, state.tail)
  if (status === 'fenced') return leaseLost(session, epoch, state.epoch)
  if (status === 'moved') return tailDiffers(session, tail, state.tail)
  return sessionUnknown(session)
}

function toParts({ record, conversation, lease }: Append): Argument[] {
  const parts: Argument[] = []
  if (record !== undefined) parts.push('record', record.json, record.summary)
  if (conversation !== undefined) parts.push('conversation', conversation.number, conversation.json)
  if (lease !== undefined) parts.push('lease', ...toGrant(lease))
  return parts
}

function toGrant(lease: Lease | 'release'): [Argument, Argument] {
  return lease === 'release' ? ['', ''] : [lease.owner, lease.ms]
}

function toBuffer(line: Uint8Array): Buffer {
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength)
}

function digest({ session, epoch, tail, lines, record, conversation }: Append): string {
  const hash = createHash('sha1')
  hash.update(
    JSON.stringify([session, epoch, tail, record, conversation, lines.map((line) => line.length)]),
  )
  for (const line of lines) hash.update(line)
  return hash.digest('hex')
}
