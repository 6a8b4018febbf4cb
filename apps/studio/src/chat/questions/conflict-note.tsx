import { VisibleText } from '../../ui/text/index.ts'
import type { Late } from './use-conflict.ts'

/** Says that something else has counted; it is there, and empty, before, so that listeners hear when it is filled. */
export function LateNote({ late: { sent, words } }: { readonly late: Late }) {
  if (!sent) return null
  return (
    <p className="late-note" role="status">
      {words !== undefined && <VisibleText text={words} />}
    </p>
  )
}
