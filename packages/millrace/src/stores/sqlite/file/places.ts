import type { Part } from '../../port/index.ts'

/** The place of a page of frames, as its sum covers it. */
export const pagePlace = (session: number, last: number): string => `page ${session} ${last}`

/** The place of a head, as its sum covers it. */
export const headPlace = (session: number, tail: number): string => `head ${session} ${tail}`

/** The place of a part, as its sum covers it. */
export const partPlace = (
  session: number,
  { collection, number, frame }: Omit<Part, 'body'>,
): string => `${session} ${number} ${frame} ${collection}`

/** The place and the state of a command, as its sum covers them. */
export const commandPlace = (session: number, key: string, isPending: boolean): string =>
  `command ${session} ${isPending ? 1 : 0} ${key}`

/** The place and the type of a file, as its sum covers them. */
export const filePlace = (session: number, id: string, mediaType: string): string =>
  `file ${session} ${id} ${mediaType}`

/** The place of an owner, as its sum covers it: the session by its name. */
export const ownerPlace = (session: string): string => `owner ${session}`
