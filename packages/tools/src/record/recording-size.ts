import { MillraceError } from 'millrace'

/** A recording is read into memory as a whole. */
const maxRecordingBytes = 256 * 1024 * 1024

/** Refuses what is larger than a recording may be. */
export function checkRecordingSize(name: string, bytes: number): void {
  if (bytes <= maxRecordingBytes) return
  const message = `${name} is larger than ${maxRecordingBytes} bytes, too large for a recording; split it, or take its body alone.`
  throw new MillraceError('payload_too_large', message)
}
