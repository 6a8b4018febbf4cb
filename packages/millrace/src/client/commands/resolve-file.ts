import type { SessionPlace } from './control-run.ts'

/** Paths of stored images and files, relative to the address of their server. [CHUNK-7] */
const storedFile = /^\/agent\/[\w-]+\/(?:images|files)\/[\w-]+$/

/**
 * Returns the address of an image or a file that a frame names: that of the server of the session for one that the server stores, also
 * behind a path and on another origin. Any other address is returned as it is.
 */
export function resolveFile({ options }: SessionPlace, place: string): string {
  return storedFile.test(place) ? options.url.replace(/\/$/, '') + place : place
}
