import { MillraceError } from 'millrace'

/** Maximum size of a recording, which is read into memory as a whole. */
const maxRecordingBytes = 256 * 1024 * 1024

/** Throws if a recording is too large. */
export function checkRecordingSize(name: string, bytes: number): void {
  if (bytes <= maxRecordingBytes) return
  const message = `${name} is larger than ${maxRecordingBytes} bytes, too large for a recording; split it, or use only its body.`
  throw new MillraceError('payload_too_large', message)
}
