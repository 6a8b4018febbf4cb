import { MillraceError } from 'millrace'

/** Creates the error that the reader of a body gets when the connection fails, as `fetch` reports it. */
export function createConnectionCut(): Error {
  const message = 'Connection cut by a fault of the emulator.'
  return new TypeError('terminated', { cause: new MillraceError('connection_lost', message) })
}
