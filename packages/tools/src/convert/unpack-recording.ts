import { MillraceError } from 'millrace'
import { decodeRecording, isRecording, type Recording } from '../recordings/index.ts'
import { checkRecordingSize } from '../record/read-recordings.ts'
import { firstLetter } from './readers/read-frames.ts'
import type { Stage } from './stage.ts'

const LINE_FEED = 0x0a

/** Returns the body of a recording; any other input passes unchanged, once its first line is complete. */
export function unpackRecording(name: string): Stage<Uint8Array, Uint8Array> {
  /** Undefined until it is known. */
  let isRecorded: boolean | undefined
  let letter: string | undefined
  let held: Uint8Array[] = []
  let size = 0
  let recording: Recording | undefined

  function hold(bytes: Uint8Array): void {
    held.push(bytes)
    size += bytes.length
    checkRecordingSize(name, size)
  }

  function release(): Uint8Array[] {
    const released = Buffer.concat(held)
    held = []
    return released.length === 0 ? [] : [released]
  }

  /** Checks for a recording, whose first line is an object that identifies it. */
  function recognize(bytes: Uint8Array): boolean | undefined {
    letter ??= firstLetter(bytes)
    if (letter !== '{') return letter === undefined ? undefined : false
    return bytes.includes(LINE_FEED) ? isRecording(firstLineOf(held)) : undefined
  }

  return {
    push(bytes) {
      if (isRecorded === false) return [bytes]
      hold(bytes)
      isRecorded ??= recognize(bytes)
      return isRecorded === false ? release() : []
    },
    end() {
      isRecorded ??= isRecording(firstLineOf(held))
      if (!isRecorded) return release()
      recording = decodeRecording(Buffer.concat(held), { name })
      return bodyOf(recording, name)
    },
    notes() {
      const { end = 'complete' } = recording ?? {}
      return end === 'complete' ? [] : [`The recording is incomplete (${end}).`]
    },
  }
}

function firstLineOf(held: readonly Uint8Array[]): string {
  const text = new TextDecoder().decode(Buffer.concat(held))
  return text.split('\n', 1)[0] ?? ''
}

function bodyOf({ response: { status }, chunks }: Recording, name: string): Uint8Array[] {
  if (status < 300) return chunks.map(({ bytes }) => bytes)
  const message = `${name} has the response status ${status} and no stream; convert a recording of one that succeeded.`
  throw new MillraceError('protocol_violation', message)
}
