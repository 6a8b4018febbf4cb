import { MillraceError } from '../../errors/index.ts'

/** A position in a format, for errors. */
export interface FormatPath {
  readonly format: string
  /** Such as `block 2`. */
  readonly path: string
}

/** Returns the position of a part. */
export function within(place: FormatPath, part: string): FormatPath {
  return { ...place, path: place.path === '' ? part : `${place.path}, ${part}` }
}

/** Rejects a format; the problem includes the remedy. */
export function rejectFormat({ format, path }: FormatPath, problem: string): never {
  const where = path === '' ? '' : `, ${path}`
  throw new MillraceError('format_invalid', `Format "${format}"${where}: ${problem}`)
}
