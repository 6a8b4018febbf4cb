/** An id that can stand in a path and nowhere lead out of it. */
const filePattern = /^[A-Za-z0-9_-]{1,128}$/

/** Tells whether a file may be kept under an id. */
export function isFileId(id: string): boolean {
  return filePattern.test(id)
}
