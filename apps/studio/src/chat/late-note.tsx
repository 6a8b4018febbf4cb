import type { Late } from './use-late.ts'

/** Says that something else has counted; it is there, and empty, before, so that listeners hear when it is filled. */
export function LateNote({ late: { isSent, words } }: { readonly late: Late }) {
  if (!isSent) return null
  return (
    <p className="late-note" role="status">
      {words}
    </p>
  )
}
