import { MillraceError } from '../errors/index.ts'

/** The error of a frame that is past its bound. [SSE-7] */
export function frameTooLarge(part: string, limit: number): MillraceError {
  return new MillraceError(
    'frame_too_large',
    `${part} grew past ${limit} characters; raise maxFrameChars or have the sender split its messages.`,
    { details: { limit } },
  )
}
