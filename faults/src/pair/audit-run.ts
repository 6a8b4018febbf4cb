import { createTranscript, decodeEnvelope, rootAgent } from 'millrace'
import type { Followed } from '../mill/follow-session.ts'
import { findDifference } from '../mill/find-difference.ts'
import { findViolations } from '../mill/find-violations.ts'
import { markOfEpoch, marksIn, withoutMarks } from './open-pair.ts'
import type { StoredLog } from './pair-store.ts'
import { createFrameReducer } from 'millrace/testing'

/** The reference of a completed run. */
export interface RunFacts {
  readonly log: StoredLog
  /** A reader at each server. */
  readonly readers: readonly Followed[]
  /** The mark of the server that started it. */
  readonly mark: string
  /** The number of take-overs from frozen servers. */
  readonly takeOvers: number
  /** The result of {@link describeOutcome} for a run without faults. */
  readonly outcome: string
}

/** The defects of a completed run. */
export interface RunAudit {
  /** Frames that a server has written after it had lost the run. */
  readonly zombies: number
  /** Take-overs from a server that was not frozen. */
  readonly supersessions: number
  /** Each difference to a run without faults. */
  readonly faults: readonly string[]
}

/** Compares an ended run with the reference. */
export function auditRun(facts: RunFacts): RunAudit {
  const { log, readers, takeOvers, outcome } = facts
  const { session, epoch, lines } = log
  const wrong = [
    ...findViolations(lines),
    ...readers.flatMap((reader) => findDifferences(reader, lines)),
  ]
  const zombies = findZombies(facts)
  if (zombies.length > 0)
    wrong.push(`${zombies.length} frames of superseded servers, the first is ${zombies[0]}`)
  const supersessions = epoch - 1 - takeOvers
  if (supersessions !== 0) wrong.push(`${supersessions} times it was taken from a running server`)
  const difference = findDifference(describeOutcome(lines), outcome)
  if (difference !== undefined) wrong.push(`it did not end as without the fault: ${difference}`)
  return {
    zombies: zombies.length,
    supersessions,
    faults: wrong.map((what) => `${session}: ${what}`),
  }
}

/** Describes the outcome of a run: all that a page shows in the end, without ids and marks. */
export function describeOutcome(lines: readonly string[]): string {
  const reduce = createFrameReducer()
  const transcript = lines.reduce(
    (seen, line, index) => reduce(seen, line, index + 1),
    createTranscript(),
  )
  const root = rootAgent(transcript)
  const blocks = [...(root?.blocks ?? [])].map((block) => {
    if (block.type === 'error') return [block.type, block.error]
    const { type, name, text, done, interrupted, result } = block
    return [type, name, text, done, interrupted, result?.text]
  })
  const { stop_reason: reason, steps } = root?.summary ?? {}
  const { status, error } = transcript
  return withoutMarks(JSON.stringify({ error, status, reason, steps, blocks }))
}

/** The frames of a reader that are not in the log, or at another position. */
export function findDifferences({ frames }: Followed, lines: readonly string[]): string[] {
  const wrong = frames.flatMap(({ id, data }, index) => {
    if (id !== index + 1) return [`a reader received ${id} as number ${index + 1}`]
    return data === lines[index] ? [] : [`a reader received another frame under ${id}`]
  })
  const missing = lines.length - frames.length
  return missing > 0 ? [...wrong, `a reader did not receive the last ${missing}`] : wrong
}

/** The ids of frames of a server in the epoch of another. */
function findZombies({ log: { lines, begins }, mark: first, readers }: RunFacts): number[] {
  const marked = lines.flatMap((line, index) => {
    const { type, delta } = decodeEnvelope(line)
    if (type !== 'text' && type !== 'thinking') return []
    const epoch = begins.findLastIndex((begin) => begin <= index)
    return [{ id: index + 1, epoch, marks: marksIn(delta) }]
  })
  const owners = findOwners(marked, first)
  const ownerOf = (epoch: number): string | undefined =>
    readers.length === 2 ? markOfEpoch(first, epoch) : owners.get(epoch)
  return marked
    .filter(({ epoch, marks }) => marks.some((mark) => mark !== ownerOf(epoch)))
    .map(({ id }) => id)
}

interface MarkedMessage {
  readonly id: number
  readonly epoch: number
  readonly marks: readonly string[]
}

/**
 * The marks of the epochs, if any of several servers may take over: the first mark in an epoch that is not that of the epoch before, whose
 * server was another one.
 */
function findOwners(
  marked: readonly MarkedMessage[],
  first: string,
): ReadonlyMap<number, string | undefined> {
  const owners = new Map<number, string | undefined>([[0, first]])
  for (const { epoch, marks } of marked) {
    const before = owners.get(epoch - 1)
    const found = owners.get(epoch) ?? marks.find((mark) => mark !== before)
    owners.set(epoch, found)
  }
  return owners
}
