import { MillraceError } from '../../errors/index.ts'

/** What a reader of a body meets when the connection breaks, as `fetch` would report it. */
export function createCut(): Error {
  const message = 'The emulator was asked to cut the connection here.'
  return new TypeError('terminated', { cause: new MillraceError('connection_lost', message) })
}
