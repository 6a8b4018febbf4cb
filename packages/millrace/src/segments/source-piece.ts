/** The role of a piece of the input text. */
export interface SourcePiece {
  /**
   * `content` is in the content of a segment, possibly decoded; `markup` is in no content: tags, space between
   * them, metadata.
   */
  readonly role: 'content' | 'markup'
  /** The text as it was fed; all pieces joined are the whole input. */
  readonly text: string
  /** The segment whose content it is; undefined for content that waits for its segment to start. */
  readonly segment_id?: string
}
