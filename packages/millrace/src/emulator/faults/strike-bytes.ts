import { sleep } from '../../streams/index.ts'
import { faultsOf } from './due-faults.ts'
import type { BreakFault, Fault } from './fault.ts'
import { createCut } from './stream-cut.ts'

/** What is sent at once at most, so that an instant stream still comes in pieces. */
const maxChunkBytes = 64 * 1024

/** Turns text into bytes, with the faults that strike between any two of them. */
export async function* strikeBytes(
  pieces: AsyncIterable<string>,
  faults: readonly Fault[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  // Without this, chunks of nothing would never come to an end.
  const chunkBytes = Math.max(1, Math.floor(faultsOf(faults, 'chunks')[0]?.bytes ?? maxChunkBytes))
  const breaks = toByteBreaks(faults)
  let position = 0
  for await (const piece of pieces) {
    let rest = encoder.encode(piece)
    while (rest.length > 0) {
      if (await isOver(breaks, position, signal)) return
      const untilBreak = (breaks[0]?.at ?? Infinity) - position
      const size = Math.min(chunkBytes, untilBreak, rest.length)
      yield rest.subarray(0, size)
      rest = rest.subarray(size)
      position += size
    }
  }
  await isOver(breaks, position, signal)
}

interface ByteBreak {
  readonly at: number
  readonly fault: BreakFault
}

/** Does what is due at a position, and tells whether the stream ends there; throws where it is cut. */
async function isOver(
  breaks: ByteBreak[],
  position: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (breaks[0]?.at === position) {
    const fault = breaks.shift()?.fault
    if (fault?.kind === 'cut') throw createCut()
    if (fault?.kind === 'end') return true
    await sleep(fault?.waitMs ?? Infinity, signal)
    if (signal.aborted) return true
  }
  return false
}

function toByteBreaks(faults: readonly Fault[]): ByteBreak[] {
  return faultsOf(faults, 'cut', 'end', 'stall')
    .flatMap((fault) => (fault.at && 'byte' in fault.at ? [{ at: fault.at.byte, fault }] : []))
    .toSorted((one, other) => one.at - other.at)
}
