import { isMillraceError, MillraceError } from 'millrace'
import type { FrameTime } from '../session/frames/index.ts'

/** One message or event of a file, whatever the file is. */
export interface RecordedItem extends FrameTime {
  readonly id?: number | undefined
  /** The JSON of the message, or `[DONE]`. */
  readonly data: string
  /** The name of a server-sent event. */
  readonly event?: string | undefined
}

/** Reads the text of a file, piece by piece. */
export interface ItemReader {
  readonly feed: (text: string) => RecordedItem[]
  /** Takes the end of the file. */
  readonly finish: () => RecordedItem[]
}

/** Says what is wrong with a file, in words for the person who opened it. */
export function unreadable(name: string, problem: string, details = {}): MillraceError {
  const message = `“${name}” cannot be opened: ${problem}`
  return new MillraceError('recording_malformed', message, { details })
}

/** Says that a file is something else than a recording. */
export function notRecorded(name: string, problem: string): MillraceError {
  return unreadable(name, problem, { isRecording: false })
}

/** Tells whether opening failed because the file is something else than a recording. */
export function isNotRecorded(error: unknown): boolean {
  return isMillraceError(error) && error.details['isRecording'] === false
}

/** Turns what a file holds into messages, as an agent would have sent them. */
export interface FrameTranslator {
  readonly take: (item: RecordedItem) => RecordedItem[]
  readonly finish: () => RecordedItem[]
}
