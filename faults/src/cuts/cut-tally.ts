import { createTranscript, endTranscript, type Transcript } from 'millrace'
import { compareWithLog, type Differences, noDifferences } from '../mill/compare-with-log.ts'
import type { Finding } from '../trial.ts'
import type { CutReading } from './cut-readers.ts'
import { createFrameReducer } from 'millrace/testing'

/** The results of many interrupted readings. */
export interface CutTally {
  cuts: number
  /** Readings without an end. */
  endless: number
  /** Readings whose page differs from the log. */
  misshown: number
  readonly differences: Differences
}

/** Creates an empty tally. */
export function createCutTally(): CutTally {
  return { cuts: 0, endless: 0, misshown: 0, differences: noDifferences() }
}

/** Adds the result of a reading, compared with the log. */
export function addReading(tally: CutTally, reading: CutReading, log: readonly string[]): void {
  const { frames, cuts, isDone, transcript } = reading
  tally.cuts += cuts
  if (!isDone) tally.endless++
  compareWithLog(frames, log, tally.differences)
  if (transcript !== undefined && toSight(transcript) !== toSight(toTranscript(log))) {
    tally.misshown++
  }
}

/** Formats a tally as a row. */
export function toCutFinding(
  what: string,
  where: string,
  { cuts, endless, misshown, differences: { gaps, doubles, changed } }: CutTally,
): Finding {
  const wrong = { gaps, duplicates: doubles, changed, 'without an end': endless, misshown }
  const counts = Object.entries(wrong).filter(([name, count]) => count > 0 || name in shown)
  return {
    what,
    where,
    figures: `${cuts} cuts, ${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`,
    bound: '0 wrong',
    faults: [
      ...Object.entries(wrong).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : [])),
      ...(cuts === 0 ? ['Nothing was cut.'] : []),
    ],
  }
}

/** The figures that are reported even if they are zero. */
const shown = { gaps: true, duplicates: true, changed: true }

function toTranscript(log: readonly string[]): Transcript {
  const reduce = createFrameReducer()
  const whole = log.reduce(
    (transcript, line, index) => reduce(transcript, line, index + 1),
    createTranscript(),
  )
  return endTranscript(whole)
}

/** All content of a page, as a text for comparison. */
function toSight({ status, lastId, agents, pending, files, error }: Transcript): string {
  const people = [...agents].map(({ id, name, meta, summary, blocks, runs, steps }) => {
    return [id, name, meta, summary, [...blocks], [...runs], [...steps]]
  })
  return JSON.stringify([status, lastId, people, pending, files, error])
}
