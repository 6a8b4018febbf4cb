import { isMillraceError } from '../../errors/index.ts'

/** Whether an error is a conflict with another activity. */
export function isConflict(error: unknown): boolean {
  return isMillraceError(error) && error.code === 'conflict'
}
