/** A place in a conversation: a block of an agent, by its position. */
export interface BlockPlace {
  readonly agent: string
  readonly position: number
}
