import type { Part } from '../../port/index.ts'

/** Returns the place of a page for its checksum. */
export const pagePlace = (session: number, last: number): string => `page ${session} ${last}`

/** Returns the place of a head for its checksum. */
export const headPlace = (session: number, tail: number): string => `head ${session} ${tail}`

/** Returns the place of a part for its checksum. */
export const partPlace = (
  session: number,
  { collection, number, frame }: Omit<Part, 'body'>,
): string => `${session} ${number} ${frame} ${collection}`

/** Returns the place and state of a command for its checksum. */
export const commandPlace = (session: number, key: string, isPending: boolean): string =>
  `command ${session} ${isPending ? 1 : 0} ${key}`

/** Returns the place and type of a file for its checksum. */
export const filePlace = (session: number, id: string, mediaType: string): string =>
  `file ${session} ${id} ${mediaType}`

/** Returns the place of an owner for its checksum: the session name. */
export const ownerPlace = (session: string): string => `owner ${session}`
