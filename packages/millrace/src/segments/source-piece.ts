/** What became of a piece of the text that was fed. */
export interface SourcePiece {
  /** `content` is in the content of a segment, perhaps decoded; `markup` is in no content: tags, space between them, metadata. */
  readonly role: 'content' | 'markup'
  /** The text as it was fed; all pieces joined are the whole input. */
  readonly text: string
  /** The segment whose content it is; content that waits for its segment to start has none. */
  readonly segment_id?: string
}
