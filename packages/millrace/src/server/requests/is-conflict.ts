import { isMillraceError } from '../../errors/index.ts'

/** Tells whether a request was refused because something else is under way. */
export function isConflict(error: unknown): boolean {
  return isMillraceError(error) && error.code === 'conflict'
}
