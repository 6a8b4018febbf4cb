import { sleep } from '../../streams/sleep.ts'
import { type BreakFault, type Fault, faultsOf } from './fault.ts'
import { MillraceError } from 'millrace'

/** Creates the error that the reader of a body gets when the connection fails, as `fetch` reports it. */
export function createConnectionCut(): Error {
  const message = 'Connection cut by a fault of the emulator.'
  return new TypeError('terminated', { cause: new MillraceError('connection_lost', message) })
}

/** Maximum size of a chunk, so that an instant stream still arrives in several chunks. */
const maxChunkBytes = 64 * 1024

/** Encodes text as bytes and applies the faults that have a byte position. */
export async function* applyByteFaults(
  pieces: AsyncIterable<string>,
  faults: readonly Fault[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  // Chunks of zero bytes would never end.
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

/** Applies the faults at a byte position and returns whether the stream ends there; throws if the stream is cut. */
async function isOver(
  breaks: ByteBreak[],
  position: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (breaks[0]?.at === position) {
    const fault = breaks.shift()?.fault
    if (fault?.kind === 'cut') throw createConnectionCut()
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
