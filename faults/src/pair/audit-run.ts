import {
  createTranscript,
  createVerifier,
  decodeEnvelope,
  reduceTranscript,
  rootAgent,
} from 'millrace'
import type { Followed } from '../mill/follow-session.ts'
import { marksIn, withoutMarks } from './open-pair.ts'
import type { StoredLog } from './stored-log.ts'

/** What a run that is over is compared with. */
export interface RunFacts {
  readonly log: StoredLog
  readonly readers: readonly Followed[]
  /** The mark of the server of each epoch, the first first. */
  readonly marks: readonly string[]
  /** What {@link describeOutcome} says of a run that nothing happened to. */
  readonly outcome: string
}

/** Says what is wrong with a run that is over; nothing if it is as if nothing had happened. */
export function auditRun({ log, readers, marks, outcome }: RunFacts): string[] {
  const { session, epoch, lines } = log
  const wrong = [
    ...findViolations(lines),
    ...readers.flatMap((reader) => findDifferences(reader, lines)),
    ...findZombies(log, marks),
  ]
  if (epoch !== marks.length) wrong.push(`it has ${epoch} epochs in place of ${marks.length}`)
  if (describeOutcome(lines) !== outcome) wrong.push('it did not end as it would have')
  return wrong.map((what) => `${session}: ${what}`)
}

/** Describes how a run came out: all that a page shows in the end, without ids and marks. */
export function describeOutcome(lines: readonly string[]): string {
  const transcript = lines.reduce(
    (seen, line, index) => reduceTranscript(seen, decodeEnvelope(line), index + 1),
    createTranscript(),
  )
  const root = rootAgent(transcript)
  const blocks = [...(root?.blocks ?? [])].map((block) => {
    if (block.type === 'error') return [block.type]
    const { type, name, text, done, interrupted, result } = block
    return [type, name, text, done, interrupted, result?.text]
  })
  const { stop_reason: reason, steps } = root?.summary ?? {}
  return withoutMarks(JSON.stringify({ status: transcript.status, reason, steps, blocks }))
}

/** What a reader was given that is not in the log, or not there. */
export function findDifferences({ frames }: Followed, lines: readonly string[]): string[] {
  const wrong = frames.flatMap(({ id, data }, index) => {
    if (id !== index + 1) return [`a reader was given ${id} as number ${index + 1}`]
    return data === lines[index] ? [] : [`a reader was given another message under ${id}`]
  })
  const missing = lines.length - frames.length
  return missing > 0 ? [...wrong, `a reader was not given the last ${missing}`] : wrong
}

function findViolations(lines: readonly string[]): string[] {
  const verifier = createVerifier()
  const found = lines.flatMap((line, index) => verifier.push(line, index + 1))
  return [...found, ...verifier.end(true)].map(({ rule, message }) => `${rule} ${message}`)
}

/** Messages of a server in an epoch that is not its own. */
function findZombies({ lines, begins }: StoredLog, marks: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    const { type, delta } = decodeEnvelope(line)
    if (type !== 'text' && type !== 'thinking') return []
    const epoch = begins.findLastIndex((begin) => begin <= index)
    const others = marksIn(delta).filter((mark) => mark !== marks[epoch])
    return others.map((mark) => `zombie: ${index + 1} of epoch ${epoch + 1} is of server ${mark}`)
  })
}
