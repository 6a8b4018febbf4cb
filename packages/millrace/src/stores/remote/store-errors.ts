import { MillraceError } from '../../errors/index.ts'

/** Creates the error for an unsupported version of a database. */
export function serverTooOld(database: string, version: string, oldest: number): MillraceError {
  return new MillraceError(
    'unsupported',
    `The store needs ${database} ${oldest} or later; this is ${version}. Update ${database}.`,
  )
}

/** Throws for a file over the size limit. */
export function checkFileSize({ length }: Uint8Array, maxFileBytes: number): void {
  if (length <= maxFileBytes) return
  throw new MillraceError(
    'payload_too_large',
    `The file has ${length} bytes; the maximum is ${maxFileBytes}. Send a smaller file, or raise maxFileBytes.`,
    { details: { maxFileBytes } },
  )
}
