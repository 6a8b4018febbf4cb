import { MillraceError } from 'millrace'
import type { FrameTime } from '../session/frame-log.ts'

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
export function unreadable(name: string, problem: string): MillraceError {
  return new MillraceError('recording_malformed', `“${name}” cannot be opened: ${problem}`)
}
