import { toTable } from '../../sessions/to-table.ts'
import { sdkFaultOf } from './sdk-faults.ts'
import type { Recording } from './recording.ts'
import type { CheckSummary } from './run-recordings.ts'

/** So many recordings are named for one check. */
const SHOWN_FILES = 10

/** Writes down what was checked, what differed, and where the official SDK is no measure. */
export function describeRecordings(
  recordings: readonly Recording[],
  summaries: readonly CheckSummary[],
): string {
  const rows = summaries.map(({ name, files, cases, faults }) =>
    [name, files, cases, faults.length].map(String),
  )
  return [
    toTable(['', 'recordings', 'cases', 'failed'], rows),
    ...summaries.flatMap(toFaultLines),
    ...toSdkLines(recordings),
  ].join('\n')
}

/** The first fault of each recording; the others mostly follow from it. */
function toFaultLines({ name, faults }: CheckSummary): string[] {
  const firsts = new Map(faults.toReversed().map(({ file, fault }) => [file, fault]))
  const lines = [...firsts].reverse().map(([file, fault]) => `✗ ${file} (${name}): ${fault}`)
  const more = lines.length - SHOWN_FILES
  return more > 0
    ? [...lines.slice(0, SHOWN_FILES), `✗ and ${more} more recordings (${name})`]
    : lines
}

/** The recordings without a message of the SDK to compare with, and why. */
function toSdkLines(recordings: readonly Recording[]): string[] {
  const lines = recordings.flatMap(({ name, golden }) => {
    if (golden === undefined) return []
    const fault = sdkFaultOf(name)
    if (fault !== undefined) return [`  ${name}: ${fault}`]
    return golden.ok ? [] : [`  ${name}: gives no message: ${golden.error}`]
  })
  return lines.length === 0 ? [] : ['Not compared, because the official SDK', ...lines]
}
