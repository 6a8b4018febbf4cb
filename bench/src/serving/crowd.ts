import { connect, type Socket } from 'node:net'
import { wallClock } from './site.ts'

/** Many readers of streams over bare sockets, with the minimum load on the machine. */
export interface Crowd {
  /** Frames that have arrived. */
  readonly count: () => number
  readonly bytes: () => number
  /** The latencies of frames of some readers, in milliseconds, since the last call. */
  readonly takeLatencies: () => number[]
  /** Whether every stream has ended. */
  readonly isDone: () => boolean
  close(): void
}

const FRAME_MARK = 'data: {'
const DELTA_MARK = '"delta":"'
/** Time in the format of a run: thirteen digits, a point, three digits. */
const TIME_LENGTH = 17
/** One of this many readers reads the clock; more would measure the measurement. */
const SAMPLED = 10
/** Connections that are opened at once. */
const WAVE = 200

/** Opens a reader on each path; the readers count arriving frames, or read nothing. */
export async function openCrowd(
  port: number,
  paths: readonly string[],
  { reads = true }: { readonly reads?: boolean } = {},
): Promise<Crowd> {
  const sockets: Socket[] = []
  let count = 0
  let bytes = 0
  let done = 0
  let latencies: number[] = []

  const createTake = (isSampled: boolean): ((data: Buffer) => void) => {
    let cut: Buffer = Buffer.alloc(0)
    return (data) => {
      bytes += data.length
      const text = cut.length === 0 ? data : Buffer.concat([cut, data])
      cut = beginningOfMark(text)
      for (let at = text.indexOf(FRAME_MARK); at >= 0; at = text.indexOf(FRAME_MARK, at + 1)) {
        count++
        const latency = isSampled ? latencyOf(text, at) : NaN
        if (latency >= 0) latencies.push(latency)
      }
    }
  }

  const open = (path: string, index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' })
      sockets.push(socket)
      socket.on('error', reject)
      socket.on('close', () => done++)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      if (reads) {
        socket.once('data', () => resolve())
        socket.on('data', createTake(index % SAMPLED === 0))
      } else {
        socket.pause()
        socket.once('connect', () => resolve())
      }
    })

  for (let start = 0; start < paths.length; start += WAVE) {
    const wave = paths.slice(start, start + WAVE)
    await Promise.all(wave.map((path, index) => open(path, start + index)))
  }
  return {
    count: () => count,
    bytes: () => bytes,
    isDone: () => done === paths.length,
    takeLatencies: () => {
      const taken = latencies
      latencies = []
      return taken.sort((a, b) => a - b)
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  }
}

/** The end of a chunk that may be the beginning of the next frame. */
function beginningOfMark(text: Buffer): Buffer {
  for (let length = FRAME_MARK.length - 1; length > 0; length--) {
    const end = text.subarray(-length)
    if (end.toString('latin1') === FRAME_MARK.slice(0, length)) return end
  }
  return text.subarray(text.length)
}

/** The delay of the frame at a position; not a number if it has no time. */
function latencyOf(text: Buffer, at: number): number {
  const from = text.indexOf(DELTA_MARK, at) + DELTA_MARK.length
  const saidAt = Number(text.toString('latin1', from, from + TIME_LENGTH))
  return saidAt > 0 ? wallClock() - saidAt : NaN
}
