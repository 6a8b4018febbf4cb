import {
  type ForkPoint,
  isShared,
  joinParts,
  type Part,
  type PartChange,
  type PartRange,
} from '../../port/index.ts'
import { ancestorsOf, sharedMissing } from '../branches/ancestors.ts'
import type { SessionKeys } from '../keys.ts'
import type { RedisContext } from '../create-redis-context.ts'
import { bytesAt, FIRST_DETAIL, numberAt, type Reply, stateOf, statusOf, textAt } from '../reply.ts'
import { parts as readScript } from '../scripts/log.ts'
import { logTruncated } from '../connection/store-errors.ts'
import type { Argument } from '../connection/wire-command.ts'

/** Positions in a reply: whether the session is a branch, the field to continue after, the number of old parts; then the parts. */
const IS_BRANCH = FIRST_DETAIL
const GO_ON = FIRST_DETAIL + 1
const OLD_COUNT = FIRST_DETAIL + 2
const FIRST_PART = FIRST_DETAIL + 3

/** Reads parts of a session and those that it shares. */
export async function readParts(
  context: RedisContext,
  session: string,
  collection: string,
  range: PartRange,
  log: string | undefined,
): Promise<readonly Part[]> {
  if (range.limit <= 0) return []
  const { run, keys, lossDetector } = context
  const bounds = toBounds(collection, range)
  const reply = await run(readScript, toKeys(keys.session(session)), bounds)
  const received = await lossDetector.receive(session, reply, log)
  if (received === undefined) return []
  const { state } = received
  if (statusOf(reply) === 'truncated') throw logTruncated(session, state.tail)
  const own = toParts(collection, range, reply)
  if (numberAt(reply, IS_BRANCH) === 0 || !isShared(collection)) return own
  const chain = await ancestorsOf(context, session, state.log)
  const lists = await Promise.all(
    chain.map((point) => readSharedParts(context, point, collection, range)),
  )
  const missing = lists.indexOf(undefined)
  if (missing >= 0) throw await sharedMissing(context, session, state.log, state.tail)
  return joinParts([own, ...lists.flatMap((list) => (list === undefined ? [] : [list]))], range)
}

/** Reads parts that a branch shares with an ancestor; undefined if its log is missing. */
async function readSharedParts(
  { run, keys }: RedisContext,
  { session, log, frame }: ForkPoint,
  collection: string,
  range: PartRange,
): Promise<readonly Part[] | undefined> {
  const names = [...toKeys(keys.session(session)), ...toKeys(keys.kept(session, log))]
  const found: Part[] = []
  const [first = '', last = '', direction = '', limit = 0, ...old] = toBounds(collection, range)
  const [kind = ''] = old
  // A record of version 0.1.0 belongs to the end of its log.
  let rest = kind === RECORD ? ['', '', ''] : old
  for (let bound = first; ;) {
    const reply = await run(readScript, names, [bound, last, direction, limit, ...rest, log, frame])
    if (statusOf(reply) !== 'ok') return undefined
    found.push(...toParts(collection, range, reply))
    const field = textAt(reply, GO_ON) ?? ''
    if (field === '' || found.length >= range.limit) return found
    bound = `(${field}`
    rest = ['', '', '']
  }
}

function toKeys({ meta, parts, numbers, history, conversations }: SessionKeys): readonly string[] {
  return [meta, parts, numbers, history, conversations]
}

function toParts(collection: string, range: PartRange, reply: Reply): readonly Part[] {
  const oldEnd = FIRST_PART + 2 * numberAt(reply, OLD_COUNT)
  const found: Part[] = []
  for (let at = FIRST_PART; at < reply.length; at += 2) {
    const isOld = at < oldEnd
    const value = bytesAt(reply, at + 1)
    if (value === undefined) continue
    found.push(
      isOld
        ? toOldPart(collection, numberAt(reply, at), value, stateOf(reply).tail)
        : toPart(collection, numberOf(textAt(reply, at) ?? ''), value),
    )
  }
  if (oldEnd === FIRST_PART) return found
  const sign = 'after' in range ? 1 : -1
  return found.sort((a, b) => sign * (a.number - b.number)).slice(0, range.limit)
}

/** Converts a part of version 0.1.0. A record belongs to the end of its log; the end of a conversation is unknown. */
function toOldPart(collection: string, number: number, value: Buffer, tail: number): Part {
  return { collection, number, frame: collection === RECORD ? tail : 0, body: value.toString() }
}

/** Collections for data that version 0.1.0 stored beside a log. They are read until they are removed. */
const RECORD = 'record'
const CONVERSATIONS = 'conversations'

/** The number of digits of 2^53, so that fields sort by number. */
const DIGITS = 16
const LARGEST = Number.MAX_SAFE_INTEGER
const reserved = /[%\0]/g

/** Returns the field of a part. The zero byte separates collections with any names. */
function toField(collection: string, number: number): string {
  const name = collection.replace(reserved, (sign) => (sign === '%' ? '%25' : '%00'))
  return `${name}\0${String(number).padStart(DIGITS, '0')}`
}

function numberOf(field: string): number {
  return Number(field.slice(-DIGITS))
}

/** Decodes a part from the value of its field, where the frame precedes the body. */
function toPart(collection: string, number: number, value: Buffer): Part {
  const colon = value.indexOf(':')
  const frame = Number(value.subarray(0, colon).toString())
  return { collection, number, frame, body: value.subarray(colon + 1).toString() }
}

/** Encodes a change of an append. It also removes data of version 0.1.0 under its number. */
export function toPartChange(part: PartChange): readonly Argument[] {
  const { collection, number } = part
  const field = toField(collection, number)
  const change = part.body === null ? ['drop', field, ''] : ['put', field, toValue(part)]
  const isOld = collection === CONVERSATIONS || (collection === RECORD && number === 1)
  return isOld ? [...change, 'old', collection, number] : change
}

function toValue({ frame, body }: Part): string {
  return `${frame}:${body}`
}

/** Returns the bounds of a range among the fields of a collection, and among the numbers of version 0.1.0. */
function toBounds(collection: string, range: PartRange): readonly Argument[] {
  if ('after' in range) {
    const first =
      range.after < 0 ? `[${toField(collection, 0)}` : `(${toField(collection, range.after)}`
    const old = oldIn(collection, range.after < 1)
    return [
      first,
      `[${toField(collection, LARGEST)}`,
      'FWD',
      range.limit,
      old,
      `(${range.after}`,
      '+inf',
    ]
  }
  const before = Math.min(range.before, LARGEST + 1)
  const last = before <= 0 ? `(${toField(collection, 0)}` : `(${toField(collection, before)}`
  const old = oldIn(collection, range.before > 1)
  return [last, `[${toField(collection, 0)}`, 'REV', range.limit, old, `(${range.before}`, '-inf']
}

function oldIn(collection: string, hasRecord: boolean): string {
  if (collection === RECORD) return hasRecord ? RECORD : ''
  return collection === CONVERSATIONS ? CONVERSATIONS : ''
}
