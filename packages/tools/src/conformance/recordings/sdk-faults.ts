/** A fault of the official SDK, whose message is then no reference. */
interface SdkFault {
  /** The names of the recordings. */
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
