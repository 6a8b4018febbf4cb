import { toTable } from '../../sessions/to-table.ts'
import type { Recording } from './recording-check.ts'
import type { CheckSummary } from './run-recordings.ts'

/** A fault of the official SDK, whose message is then no reference. */
interface SdkFault {
  readonly files: RegExp
  readonly why: string
}

/** Known faults of the official SDK, by the recordings that show them. */
const sdkFaults: readonly SdkFault[] = [
  {
    files: /incomplete_partial_json/,
    why: 'drops the unfinished string of a call that max_tokens cut, and shows the call as if it were whole',
  },
  {
    files: /out_of_order/,
    why: 'loses deltas that come before the start of their block',
  },
  {
    files: /sequential-messages|issue-18331-spliced-message-start\.v2/,
    why: 'throws if message_start has no content',
  },
  {
    files: /duplicate-message-start/,
    why: 'throws at a second message_start, although it only repeats the first',
  },
  {
    files: /spliced-message-start/,
    why: 'throws, as it should, since another message begins inside the first; ours fails with a type',
  },
]

/** Returns the fault of the official SDK for a recording; undefined if none is known. */
export function sdkFaultOf(name: string): string | undefined {
  return sdkFaults.find(({ files }) => files.test(name))?.why
}

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
