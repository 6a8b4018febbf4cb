import { isMillraceError, MillraceError } from 'millrace'
import type { FrameTime } from '../session/frames/index.ts'

/** A message or event of a file. */
export interface RecordedItem extends FrameTime {
  readonly id?: number | undefined
  /** JSON of the message, or `[DONE]`. */
  readonly data: string
  /** Name of the server-sent event. */
  readonly event?: string | undefined
}

/** Reads the text of a file in chunks. */
export interface ItemReader {
  readonly feed: (text: string) => RecordedItem[]
  /** Ends the file. */
  readonly finish: () => RecordedItem[]
}

/** Creates the error of a file that cannot be opened, with a message for the user. */
export function unreadable(name: string, problem: string, details = {}): MillraceError {
  const message = `“${name}” cannot be opened: ${problem}`
  return new MillraceError('recording_malformed', message, { details })
}

/** Creates the error of a file that is not a recording. */
export function notRecorded(name: string, problem: string): MillraceError {
  return unreadable(name, problem, { isRecording: false })
}

/** Reports whether a file could not be opened because it is not a recording. */
export function isNotRecorded(error: unknown): boolean {
  return isMillraceError(error) && error.details['isRecording'] === false
}

/** Converts the items of a file to the messages of an agent. */
export interface FrameTranslator {
  readonly take: (item: RecordedItem) => RecordedItem[]
  readonly finish: () => RecordedItem[]
}
