import { VisibleText } from '../../ui/text/index.ts'
import type { Conflict } from './use-conflict.ts'

/** Says that something else has counted; it is there, and empty, before, so that listeners hear when it is filled. */
export function ConflictNote({ conflict: { sent, text } }: { readonly conflict: Conflict }) {
  if (!sent) return null
  return (
    <p className="conflict-note" role="status">
      {text !== undefined && <VisibleText text={text} />}
    </p>
  )
}
