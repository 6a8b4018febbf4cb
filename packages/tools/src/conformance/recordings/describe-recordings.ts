import { toTable } from '../../sessions/to-table.ts'
import { sdkFaultOf } from './sdk-faults.ts'
import type { Recording } from './recording.ts'
import type { CheckSummary } from './run-recordings.ts'

/** Maximum recordings listed for one check. */
const SHOWN_FILES = 10

/** Describes the checks, their failures, and recordings for which the official SDK is no reference. */
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

/** Lists the first fault of each recording; the others mostly follow from it. */
function toFaultLines({ name, faults }: CheckSummary): string[] {
  const firsts = new Map(faults.toReversed().map(({ file, fault }) => [file, fault]))
  const lines = [...firsts].reverse().map(([file, fault]) => `✗ ${file} (${name}): ${fault}`)
  const more = lines.length - SHOWN_FILES
  return more > 0
    ? [...lines.slice(0, SHOWN_FILES), `✗ and ${more} more recordings (${name})`]
    : lines
}

/** Lists the recordings without a message of the SDK for comparison, and why. */
function toSdkLines(recordings: readonly Recording[]): string[] {
  const lines = recordings.flatMap(({ name, golden }) => {
    if (golden === undefined) return []
    const fault = sdkFaultOf(name)
    if (fault !== undefined) return [`  ${name}: ${fault}`]
    return golden.ok ? [] : [`  ${name}: gives no message: ${golden.error}`]
  })
  return lines.length === 0 ? [] : ['Not compared, because the official SDK', ...lines]
}
