import { MillraceError } from '../../errors/index.ts'

/** Where in a format something stands. */
export interface FormatPath {
  readonly format: string
  /** Such as `block 2`. */
  readonly path: string
}

/** A place inside another. */
export function within(place: FormatPath, part: string): FormatPath {
  return { ...place, path: place.path === '' ? part : `${place.path}, ${part}` }
}

/** Refuses a format; the problem says what to change. */
export function refuse({ format, path }: FormatPath, problem: string): never {
  const where = path === '' ? '' : `, ${path}`
  throw new MillraceError('format_invalid', `Format "${format}"${where}: ${problem}`)
}
