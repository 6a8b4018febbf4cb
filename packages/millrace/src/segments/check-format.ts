import { MillraceError } from '../errors/index.ts'
import type { Format } from './format.ts'

/** Refuses formats that cannot work, with what to change. */
export function checkFormats(formats: readonly Format[]): void {
  for (const format of formats) {
    if (format.blocks.length === 0)
      throw new MillraceError('bad_request', `Format ${format.name} has no blocks.`)
  }
}
