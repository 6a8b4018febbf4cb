import { checkConnections } from './check-connections.ts'
import { checkCuts } from './check-cuts.ts'
import { checkGolden } from './check-golden.ts'
import { checkPings } from './check-pings.ts'
import { checkSplits } from './check-splits.ts'
import { checkWire } from './check-wire.ts'
import { frameBody } from './framed-body.ts'
import { readMessages } from './read-messages.ts'
import type { RecordingCheck } from './recording-check.ts'
import type { Recording } from './recording.ts'

/** All checks of a recording. */
export const recordingChecks: readonly RecordingCheck[] = [
  checkGolden,
  checkPings,
  checkCuts,
  checkSplits,
  checkConnections,
  checkWire,
]

/** The result of one check over all recordings. */
export interface CheckSummary {
  readonly name: string
  readonly files: number
  readonly cases: number
  /** The differences, by the name of the recording. */
  readonly faults: readonly { readonly file: string; readonly fault: string }[]
}

/** Runs checks over recordings. */
export async function runRecordings(
  recordings: readonly Recording[],
  {
    checks = recordingChecks,
    onProgress,
  }: {
    readonly checks?: readonly RecordingCheck[]
    readonly onProgress?: ((text: string) => void) | undefined
  } = {},
): Promise<CheckSummary[]> {
  const summaries = checks.map(({ name }) => ({
    name,
    files: 0,
    cases: 0,
    faults: [] as { file: string; fault: string }[],
  }))
  for (const [place, recording] of recordings.entries()) {
    onProgress?.(`${place + 1} of ${recordings.length}: ${recording.name}`)
    const framed = frameBody(recording.body)
    const checked = { ...recording, ...framed, messages: readMessages(framed.frames) }
    for (const [index, summary] of summaries.entries()) {
      const result = await checks[index]?.run(checked)
      if (result === undefined || result.cases === 0) continue
      summary.files++
      summary.cases += result.cases
      summary.faults.push(...result.faults.map((fault) => ({ file: recording.name, fault })))
    }
  }
  return summaries
}
