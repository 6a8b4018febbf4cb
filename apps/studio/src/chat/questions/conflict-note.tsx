import { VisibleText } from '../../ui/text/index.ts'
import type { Conflict } from './use-conflict.ts'

/** Shows that another command won. It is empty before, so that screen readers announce the change. */
export function ConflictNote({ conflict: { sent, text } }: { readonly conflict: Conflict }) {
  if (!sent) return null
  return (
    <p className="conflict-note" role="status">
      {text !== undefined && <VisibleText text={text} />}
    </p>
  )
}
